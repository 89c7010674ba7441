import { atEnd, type Emitter, type Queue, type Random, type Service } from '../../../kernel/index.ts'
import { discovery, eventRecorder, makeClient, type Transport, type WatchEvents } from '../../../kube/index.ts'
import { VerifiedReleases, type ReleaseWatch, type VerifiedReleaseStore } from '../drift/verified-releases.ts'
import { DriftWatch } from '../drift/watch.ts'
import type { AppsEvents } from '../events.ts'
import { fenceService } from '../fence-service.ts'
import { policiesDigest } from '../namespace/policies.ts'
import { PolicyWatch } from '../namespace/policy-watch.ts'
import { Observer } from '../observe.ts'
import { orphanCollection } from '../orphans.ts'
import type { AppsParts } from '../parts.ts'
import type { ReconcileTarget } from '../reconciler.ts'
import { rightsService } from '../rights.ts'
import { labelWakes } from './label-wakes.ts'

/** What the targets of one worker have in common. */
export interface TargetDeps extends Pick<
  AppsParts,
  'rows' | 'charts' | 'helm' | 'releases' | 'locks' | 'clock' | 'settings'
> {
  /** Has an identity that may impersonate `caelus:worker`. */
  readonly transport: Transport
  readonly queue: Pick<Queue, 'wake'>
  readonly verified: VerifiedReleaseStore
  readonly random: Random
  readonly emitter: Emitter<WatchEvents & AppsEvents>
  /** The version of this program: releases that another version verified are observed again. */
  readonly version: string
  /** Identifies this process: the pod's name. */
  readonly instance: string
  /** Between two looks at what no reconcile sees: rights and orphans. */
  readonly scanMs: number
}

/** Which control plane: a cluster, or the platform's own (null). */
export interface TargetPlace {
  readonly clusterId: string | null
}

/** One control plane that apps converge into. */
export interface AppsTarget extends ReconcileTarget {
  /** To be started in this order before anything is reconciled into it. */
  readonly services: readonly Service[]
}

export function appsTarget(deps: TargetDeps & TargetPlace): AppsTarget {
  const { clusterId, transport, rows, charts, helm, releases, locks, settings, clock, random, emitter, scanMs } = deps
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const kinds = discovery(transport, clock)
  const parts: AppsParts = { client, discovery: kinds, rows, charts, helm, releases, locks, clock, settings }
  const { verified: kept } = deps
  const queue = labelWakes({ clusterId, queue: deps.queue, rows })
  const knownKinds = () => kept.kinds(clusterId)
  const workloads = new DriftWatch({ client, discovery: kinds, queue, kinds: knownKinds, clock, random, emitter })
  const { policies: wanted } = settings
  const policies = wanted && new PolicyWatch({ client, queue, policies: wanted, clock, random, emitter })
  const judge = JSON.stringify([deps.version, settings.allowedManagers ?? [], wanted && policiesDigest(wanted)])
  const verified = new VerifiedReleases({ releaseWatch: withPolicies(workloads, policies), kept, clock, judge })
  const observer = new Observer(parts, { verified, releaseWatch: workloads, policies })
  const events = eventRecorder({ client, controller: 'caelus.dev/apps', instance: deps.instance, clock })
  return {
    parts,
    observer,
    verified,
    workloads,
    events,
    services: [
      // Without the policy the API server compares no fences: nothing is claimed before it is enforced.
      fenceService({ client, clock, emitter }),
      // Stopped after the loop, so that the events of the last runs are written.
      atEnd('apps events', () => events.flush()),
      workloads,
      ...(policies === undefined ? [] : [policies]),
      rightsService({ client, clock, emitter, everyMs: scanMs }),
      orphanCollection({ clusterId, client, rows, clock, emitter, everyMs: scanMs }),
    ],
  }
}

/** A release counts as untouched only while the platform's objects in its namespace are as they should be. */
function withPolicies(
  watch: ReleaseWatch,
  policies: PolicyWatch | undefined,
): Pick<ReleaseWatch, 'glimpse' | 'follow'> {
  if (policies === undefined) return watch
  return {
    follow: (kinds) => watch.follow(kinds),
    glimpse(namespace) {
      const seen = watch.glimpse(namespace)
      const differing = policies.differing(namespace)
      return seen && differing && { ...seen, place: JSON.stringify([seen.place, differing]) }
    },
  }
}
