import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { GuardOrders } from './guard.ts'
import { endProcess } from './identity.ts'

let orders: GuardOrders = { processes: [], paths: [] }
for await (const line of createInterface({ input: process.stdin })) orders = JSON.parse(line) as GuardOrders

await Promise.allSettled(orders.processes.map((target) => endProcess(target, target)))
await Promise.allSettled(orders.paths.map((path) => rm(path, { recursive: true, force: true })))
