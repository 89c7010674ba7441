/** What travels. Imports nothing of ours; the console and other clients take their types from here. */
export * from './apps-operate.ts'
export * from './apps.ts'
export * from './events.ts'
export * from './identity.ts'
export * from './page.ts'
export * from './problem.ts'
export * from './status.ts'
export * from './words.ts'
