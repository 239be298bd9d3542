import { agents } from "./agents";
import { attestations } from "./attestations";
import { attestors } from "./attestors";
import { commerce } from "./commerce";
import { intents } from "./intents";
import { handleAll } from "./lib/handle";
import { policies } from "./policies";
import { settlements } from "./settlements";
import { solvers } from "./solvers";

handleAll({
  AgentRegistry: agents,
  IntentBook: intents,
  PolicyModule: policies,
  AttestationRegistry: attestations,
  SolverRegistry: solvers,
  AttestorRegistry: attestors,
  CommerceRegistry: commerce,
  SettlementAdapter: settlements,
});
