import { simulateSeeds } from "../../support/simulation/seeds";

simulateSeeds(3);
