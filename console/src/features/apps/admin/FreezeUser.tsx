import { api } from '../paths.ts'
import { useWrite } from '../use-write.ts'
import { WithReason } from './WithReason.tsx'

interface FreezeUserProps {
  readonly user: { readonly id: string; readonly email: string }
  readonly onClose: () => void
}

/** Stops the work on everything that belongs to one user. */
export function FreezeUser({ user: { id, email }, onClose }: FreezeUserProps) {
  const freeze = useWrite<void, string>((client, why) => client.post(`${api.user(id)}:freeze`, { why }), onClose)
  return (
    <WithReason
      title={`Freeze ${email}`}
      consequences="Caelus reconciles nothing of this user until an admin unfreezes them. Running apps keep running."
      label="Why"
      verb="Freeze"
      pending={freeze.isPending}
      error={freeze.error}
      onClose={onClose}
      onConfirm={(why) => freeze.mutate(why)}
    />
  )
}
