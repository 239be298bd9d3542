export { default } from "../../ponder.config";
