import { ConfirmDelete } from '../../components/delete/ConfirmDelete.tsx'
import type { RuntimeView } from '../../lib/api/contract.ts'
import { api } from './paths.ts'
import { useWrite } from './use-write.ts'

interface DeleteRuntimeProps {
  readonly runtime: RuntimeView
  readonly onClose: () => void
}

export function DeleteRuntime({ runtime, onClose }: DeleteRuntimeProps) {
  const remove = useWrite<void>(
    (client, _, idempotencyKey) => client.delete(api.runtime(runtime), { idempotencyKey }),
    onClose,
  )
  return (
    <ConfirmDelete
      kind="runtime"
      name={runtime.name}
      consequences={`Its functions stop, and everything it is made of goes from namespace ${runtime.namespace}. This cannot be undone.`}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={remove.error}
    />
  )
}
