export { ALL_FAULTS, type Faults, NO_FAULTS } from './faults.ts'
export { explore, type Exploration, type Law, type Laws, report, run, type Scenario, type Verdict } from './scenario.ts'
export { type Rows, SerializationError, Table } from './table.ts'
export { type Ports, type User, World, type WorldOptions } from './world.ts'
