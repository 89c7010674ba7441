import { join } from 'node:path'
import type { StatusBoard } from '../../api/index.ts'
import { messageOf } from '../../kernel/index.ts'
import { advancePreparation, beginPreparation, endPreparation, type PreparationStep } from '../shared/preparation.ts'
import type { ProgressLine } from '../shared/terminal.ts'

const DETAIL_EVERY_MS = 1_000

const BINARIES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'helm', 'kube-scheduler', 'kwok'] as const

export interface PrepareOptions {
  readonly dataDir: string
  readonly board: StatusBoard
  readonly progress: ProgressLine
  readonly signal: AbortSignal
}

export interface LocalControlPlane {
  readonly kubeconfig: string
  stop(): Promise<unknown>
}

/** Obtains the programs of the local control plane and starts it, with progress on terminal and status board. */
export async function prepareControlPlane(options: PrepareOptions): Promise<LocalControlPlane> {
  const { dataDir, board, progress, signal } = options
  const { ensureControlPlane, obtainBinaries, progressLine: lineFor } = await import('../../../tools/index.ts')
  const now = (): string => new Date().toISOString()
  let view = beginPreparation(now())
  let shown = { what: '', at: 0 }
  const tell = (step: PreparationStep, text: string): void => {
    view = advancePreparation(view, step, now())
    progress.show(step.what, `  preparing the control plane: ${text}`)
    if (step.what === shown.what && Date.now() - shown.at < DETAIL_EVERY_MS) return
    shown = { what: step.what, at: Date.now() }
    board.preparation(view)
    board.component('kubernetes', { health: 'preparing', message: text, version: null })
  }
  tell({ what: 'looking for the programs' }, 'looking for the programs')
  const onProgress = (step: Parameters<typeof lineFor>[0]): void => tell(step, lineFor(step))
  try {
    // Helm before the last of them, so that apps converge with the rest. What fails here fails again where it is needed.
    await obtainBinaries(BINARIES, onProgress, signal).catch(() => {})
    const dir = join(dataDir, 'control-plane')
    const controlPlane = await ensureControlPlane({ dir, nodes: 'kwok', onProgress, signal })
    board.preparation(endPreparation(view, undefined, now()))
    return controlPlane
  } catch (error) {
    board.preparation(endPreparation(view, messageOf(error), now()))
    throw error
  }
}
