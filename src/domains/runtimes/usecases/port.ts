import type { Explanation, TimelineEntry } from '../../../kernel/index.ts'
import type { Actor, Listed, PageOptions, Precondition } from '../../../store/index.ts'
import type { At, Pod } from '../../../kube/index.ts'
import type { ClassRuntime, ClassRuntimeSpec } from '../class-runtime.ts'
import type { Preview } from '../preview.ts'
import type { Readiness } from '../templates/template.ts'
import type { Component, ManagedKind, ObservedChild, Phase } from '../types.ts'
import type { History } from './history.ts'

/*
 * The use cases of runtimes: everything that REST and CLI can do with them. Every authenticated user may read, because
 * class runtimes belong to no tenant; only admins change anything.
 *
 * The control plane is the source of truth. Reads are answered from watches; only the pods of a single runtime are read
 * from the API server. Writes go to the API server, and to the audit with it.
 */

export interface RuntimeInput {
  readonly namespace: string
  readonly name: string
  /** Absent: as they are. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  readonly spec: ClassRuntimeSpec
}

/** One object that a runtime consists of, or should. */
export interface SeenChild {
  readonly kind: ManagedKind
  readonly name: string
  readonly component: Component
  readonly functionKey: string | undefined
  /** Absent: it should be there and is not. */
  readonly seen: ObservedChild | undefined
  /** Absent: of a kind that is as it should be once it is there. */
  readonly readiness: Readiness | undefined
}

/** A runtime with everything it is made of. */
export interface RuntimeDetails {
  readonly runtime: ClassRuntime
  readonly children: readonly SeenChild[]
  readonly pods: readonly Pod[]
}

/** Pages continue after a namespace and name. */
export interface ListOptions extends PageOptions {
  readonly namespace?: string | undefined
  readonly phase?: Phase | undefined
}

export type WriteChange = 'created' | 'changed' | 'unchanged'

export interface Written {
  readonly runtime: ClassRuntime
  readonly change: WriteChange
}

export interface PackageInput {
  /** YAML, or what it says. */
  readonly source: unknown
  readonly environment?: string | undefined
  readonly namespace: string
  readonly dryRun: boolean
}

export interface AppliedPackage {
  readonly written: ReadonlyArray<Written & { readonly deploymentKey: string }>
  /** Deployments that were not meant. */
  readonly skipped: ReadonlyArray<{ readonly deploymentKey: string; readonly because: string }>
}

export interface Runtimes {
  list(input: ListOptions): Promise<Listed<ClassRuntime>>
  get(where: At, signal: AbortSignal): Promise<RuntimeDetails>
  create(actor: Actor, input: RuntimeInput): Promise<RuntimeDetails>
  /** Makes it, or replaces its spec. */
  put(actor: Actor, input: RuntimeInput, precondition: Precondition): Promise<RuntimeDetails & Written>
  /** Answers with what it was; it is gone when its children are. */
  remove(actor: Actor, where: At, precondition: Precondition): Promise<RuntimeDetails>
  applyPackage(actor: Actor, input: PackageInput): Promise<AppliedPackage>
  preview(actor: Actor, input: RuntimeInput): Promise<Preview & { readonly change: WriteChange }>
  explain(where: At): Promise<Explanation>
  timeline(actor: Actor, where: At, limit: number, signal: AbortSignal): Promise<readonly TimelineEntry[]>
  history(where: At): Promise<History>
}
