import { type Address, parseEther } from "viem";
import { type Call, call } from "./calls";
import type { Random } from "./random";
import { anyHash, anyText } from "./values";
import { type ActionKind, anySender, may, nextId, type World } from "./world";

const anyBond = (random: Random) => random.pick([0n, 1n, BigInt(random.below(1_000_000)), parseEther("0.5")]);

function registerSolver(world: World, operators: readonly Address[]): Call | null {
  const { random } = world;
  const bond = anyBond(random);
  const unregistered = operators.filter(
    (one) =>
      !world.solvers.some(({ operator }) => operator === one) &&
      may(world, one, "SolverRegistry", "registerSolver", bond),
  );
  const operator = random.pick(unregistered);
  if (!operator) return null;
  world.solvers.push({ solverId: nextId(world.solvers), operator, bond, active: true });
  return call(world, operator, "SolverRegistry", "registerSolver", [anyText(random), anyHash(random)], bond);
}

export const solverActions: ActionKind[] = [
  {
    name: "register a solver",
    weight: 1,
    // Half of the participants may fill intents before they register.
    act: (world) => registerSolver(world, world.participants.slice(world.participants.length / 2)),
  },
  {
    name: "register a solver that has filled before",
    weight: 1,
    act: (world) => registerSolver(world, [...world.fillers]),
  },
  {
    name: "update a solver",
    weight: 2,
    act(world) {
      const { random } = world;
      const solver = random.pick(
        world.solvers.filter(({ operator }) => may(world, operator, "SolverRegistry", "updateSolver")),
      );
      if (!solver) return null;
      solver.active = random.chance(0.5);
      const args = [solver.solverId, anyText(random), anyHash(random), solver.active] as const;
      return call(world, solver.operator, "SolverRegistry", "updateSolver", args);
    },
  },
  {
    name: "add to a bond",
    weight: 2,
    act(world) {
      const value = anyBond(world.random);
      const solver = world.random.pick(world.solvers);
      const backer = anySender(world, "SolverRegistry", "addBond", value);
      if (!solver || !backer) return null;
      solver.bond += value;
      return call(world, backer, "SolverRegistry", "addBond", [solver.solverId], value);
    },
  },
  {
    name: "withdraw from a bond",
    weight: 2,
    act(world) {
      const { random } = world;
      const solver = random.pick(
        world.solvers.filter(
          ({ active, operator }) => !active && may(world, operator, "SolverRegistry", "withdrawBond"),
        ),
      );
      if (!solver) return null;
      const amount = random.pick([0n, solver.bond / 2n, solver.bond]);
      solver.bond -= amount;
      return call(world, solver.operator, "SolverRegistry", "withdrawBond", [solver.solverId, amount]);
    },
  },
];
