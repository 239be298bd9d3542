import { person } from "./person";

/**
 * The solvers. `reach` is how often one bids, `edge` how many basis points of the fair price it keeps: the one with the
 * smallest edge wins. `bond` is in ether.
 */
export const solvers = [
  {
    name: "Meridian Flow",
    description: "Routes orders across venues and keeps the smallest spread on dollar pairs.",
    tags: ["solver", "router"],
    capabilities: ["swap"],
    ...{ reach: 9, edge: 6, bond: "12" },
  },
  {
    name: "Copperline",
    description: "Matches opposite orders before it goes to a venue.",
    tags: ["solver", "matching"],
    capabilities: ["swap", "match"],
    ...{ reach: 8, edge: 8, bond: "8" },
  },
  {
    name: "Northwind Routing",
    description: "Splits large orders over an hour to move prices less.",
    tags: ["solver", "large orders"],
    capabilities: ["swap", "twap"],
    ...{ reach: 7, edge: 9, bond: "10" },
  },
  {
    name: "Halyard Markets",
    description: "Quotes from its own inventory, also at night.",
    tags: ["solver", "market maker"],
    capabilities: ["swap"],
    ...{ reach: 6, edge: 11, bond: "6" },
  },
  {
    name: "Basalt Labs",
    description: "A research team that fills Bitcoin pairs.",
    tags: ["solver", "bitcoin"],
    capabilities: ["swap"],
    ...{ reach: 5, edge: 12, bond: "5" },
  },
  {
    name: "Quillfish",
    description: "Fills small orders within seconds.",
    tags: ["solver", "small orders"],
    capabilities: ["swap"],
    ...{ reach: 5, edge: 14, bond: "2.5" },
  },
  {
    name: "Ostler & Co",
    description: "A desk for euros and dollars.",
    tags: ["solver", "foreign exchange"],
    capabilities: ["swap"],
    ...{ reach: 4, edge: 15, bond: "4" },
  },
  {
    name: "Ninebark",
    description: "Bids on what others leave open.",
    tags: ["solver"],
    capabilities: ["swap"],
    ...{ reach: 3, edge: 17, bond: "1.5" },
  },
  {
    name: "Tern Capital",
    description: "Arbitrage between venues, shared with the owner of the order.",
    tags: ["solver", "arbitrage"],
    capabilities: ["swap"],
    ...{ reach: 3, edge: 19, bond: "3" },
  },
  {
    name: "Lowtide",
    description: "A new solver with a small bond.",
    tags: ["solver"],
    capabilities: ["swap"],
    ...{ reach: 2, edge: 22, bond: "0.5" },
  },
].map(person);

export type Solver = (typeof solvers)[number];

/** The agents and their owners. `trades` and `shops` are how often one trades and buys; `dollars` is what it trades at a time. */
export const agents = [
  {
    name: "Ledger Scout",
    description: "Rebalances a treasury of dollars, ether and bitcoin every few hours.",
    tags: ["treasury", "rebalancing"],
    capabilities: ["trade", "report"],
    ...{ trades: 8, shops: 3, dollars: 4_200 },
  },
  {
    name: "Parcel Pilot",
    description: "Buys postage and tracks parcels for small shops.",
    tags: ["logistics"],
    capabilities: ["shop", "track"],
    ...{ trades: 1, shops: 8, dollars: 600 },
  },
  {
    name: "Marginalia",
    description: "Reads papers, has them translated, and writes summaries.",
    tags: ["research", "writing"],
    capabilities: ["read", "summarize"],
    ...{ trades: 1, shops: 9, dollars: 450 },
  },
  {
    name: "Tidewatch",
    description: "Hedges the fuel costs of a ferry line.",
    tags: ["hedging", "weather"],
    capabilities: ["trade", "forecast"],
    ...{ trades: 6, shops: 5, dollars: 2_600 },
  },
  {
    name: "Payroll Owl",
    description: "Changes dollars to euros before each payday.",
    tags: ["payroll", "foreign exchange"],
    capabilities: ["trade", "pay"],
    ...{ trades: 5, shops: 1, dollars: 5_500 },
  },
  {
    name: "Storefront Sam",
    description: "Keeps the pictures and texts of an online shop up to date.",
    tags: ["retail", "images"],
    capabilities: ["shop", "publish"],
    ...{ trades: 1, shops: 7, dollars: 380 },
  },
  {
    name: "Dollar Cost Dora",
    description: "Buys a little bitcoin and ether every day.",
    tags: ["savings"],
    capabilities: ["trade"],
    ...{ trades: 7, shops: 1, dollars: 900 },
  },
  {
    name: "Compute Broker",
    description: "Rents machines by the minute for batch jobs of its owner.",
    tags: ["compute"],
    capabilities: ["shop", "schedule"],
    ...{ trades: 2, shops: 8, dollars: 1_300 },
  },
  {
    name: "Night Auditor",
    description: "Checks invoices against receipts, and disputes what is wrong.",
    tags: ["accounting"],
    capabilities: ["shop", "audit"],
    ...{ trades: 2, shops: 5, dollars: 1_100 },
  },
].map(person);

export type Agent = (typeof agents)[number];

export const facilitators = [
  {
    name: "Clearway Payments",
    description: "Settles x402 payments in test dollars within one block.",
    tags: ["facilitator", "x402"],
    capabilities: ["settle"],
  },
  {
    name: "Tollgate",
    description: "Collects payments for merchants without a wallet.",
    tags: ["facilitator"],
    capabilities: ["settle", "collect"],
  },
].map(person);

export const attestors = [
  {
    name: "Plumbline Audits",
    description: "Reviews the code and the conduct of solvers, and publishes what it finds.",
    tags: ["audits", "solvers"],
    capabilities: ["solver_reputation", "safety_review"],
  },
  {
    name: "Open Agent Index",
    description: "Tests what agents and services say that they can do.",
    tags: ["tests", "agents"],
    capabilities: ["tool_capability"],
  },
  {
    name: "Guild of Merchants",
    description: "Confirms who runs a shop.",
    tags: ["identity", "merchants"],
    capabilities: ["model_provider"],
  },
].map(person);
