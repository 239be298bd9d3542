import { sampleCounts } from "../sample/index";
import { person } from "./person";

/** The merchants and their services, with prices in test dollars. */
export const merchants = [
  {
    name: "Fathom Weather",
    description: "Marine and city forecasts from 4,000 stations.",
    tags: ["data", "weather"],
    sales: 7,
    services: [
      {
        id: "marine-forecast",
        name: "Marine Forecast",
        description: "Wind, swell and tides for 72 hours.",
        price: 2.4,
      },
      { id: "storm-alert", name: "Storm Alert", description: "A call as soon as a storm is likely.", price: 0.8 },
    ],
  },
  {
    name: "Lexicon Works",
    description: "Translations by people and machines, in forty languages.",
    tags: ["language", "translation"],
    sales: 6,
    services: [
      { id: "translate", name: "Translation", description: "1,000 words, checked by a second reader.", price: 18 },
      { id: "summarize", name: "Summary", description: "Two pages about up to 100.", price: 6.5 },
    ],
  },
  {
    name: "Gridhouse Compute",
    description: "Machines with graphics cards, rented by the minute.",
    tags: ["compute", "gpu"],
    sales: 8,
    services: [
      { id: "gpu-hour", name: "GPU Hour", description: "One hour of one card with 80 GB.", price: 3.2 },
      { id: "batch-job", name: "Batch Job", description: "Up to 64 cards for one job.", price: 74 },
    ],
  },
  {
    name: "Paper Trail",
    description: "Company registers and court records of thirty countries.",
    tags: ["data", "compliance"],
    sales: 4,
    services: [
      { id: "company-report", name: "Company Report", description: "Owners, filings and addresses.", price: 12 },
      { id: "sanctions-check", name: "Sanctions Check", description: "One name against all lists.", price: 1.1 },
    ],
  },
  {
    name: "Stillframe",
    description: "Product photos, retouched and cut out.",
    tags: ["images", "retail"],
    sales: 5,
    services: [
      { id: "product-photo", name: "Product Photo", description: "Retouched, on white, in three sizes.", price: 9 },
    ],
  },
  {
    name: "Lastmile Post",
    description: "Postage and parcel tracking of twelve carriers.",
    tags: ["logistics", "postage"],
    sales: 6,
    services: [
      { id: "label", name: "Postage Label", description: "A label for up to 5 kg.", price: 7.3 },
      { id: "tracking", name: "Tracking", description: "Where a parcel is, for 30 days.", price: 0.25 },
    ],
  },
].map(person);

export type Merchant = (typeof merchants)[number];
export type Service = Merchant["services"][number];

/** The ids that follow those of the sample. */
export const merchantIdOf = (merchant: Merchant): bigint =>
  sampleCounts.merchants + BigInt(merchants.indexOf(merchant) + 1);

export const serviceIdOf = (service: Service): bigint =>
  sampleCounts.services + BigInt(merchants.flatMap(({ services }): Service[] => services).indexOf(service) + 1);
