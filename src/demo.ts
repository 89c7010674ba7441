import type { Service } from './kernel/index.ts'
import type { Client } from './kube/index.ts'
import type { Serving } from './serve.ts'

/** One thing that converges before a newcomer's eyes. */
export type DemoPart = (client: Client, serving: Serving) => Service

const PARTS: readonly DemoPart[] = []

export const startDemo = (client: Client, serving: Serving): Service[] => PARTS.map((part) => part(client, serving))
