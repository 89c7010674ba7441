import type { RowChange } from '../../store/index.ts'
import type { ChangeTopic } from './changes.ts'

const REASONS: Readonly<Record<RowChange['operation'], string>> = {
  insert: 'created',
  update: 'changed',
  delete: 'deleted',
}

/** Organizations, their members and their invitations. */
export const organizationChanges: ChangeTopic = {
  topic: 'organizations',
  describe({ kind, id, operation, columns }) {
    const isDeleted = kind === 'Organization' && typeof columns['deleted_at'] === 'string'
    return {
      reason: isDeleted ? 'deleted' : REASONS[operation],
      message: '',
      tone: 'info',
      // The id of a member is that of the user.
      ...((isDeleted || kind === 'Member') && { changesTenantsOf: id }),
    }
  },
}
