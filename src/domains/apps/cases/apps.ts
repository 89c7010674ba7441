import type { Actor } from '../../../store/index.ts'
import { createDeployment } from './create-deployment.ts'
import { deleteDeployment } from './delete-deployment.ts'
import * as look from './look.ts'
import * as operate from './operate.ts'
import type { Apps } from './port.ts'
import { previewCreate, previewUpdate } from './preview.ts'
import * as products from './products.ts'
import { deleteTemplate, inspectChart, publishTemplate } from './templates.ts'
import type { Room } from './room.ts'
import { rotateValuesKey } from './rotate-values-key.ts'
import { timeline } from './timeline.ts'
import { updateDeployment } from './update-deployment.ts'
import * as users from './users.ts'

const CASES = {
  ...users,
  ...products,
  ...look,
  inspectChart,
  publishTemplate,
  deleteTemplate,
  createDeployment,
  updateDeployment,
  deleteDeployment,
  previewCreate,
  previewUpdate,
  timeline,
  ...operate,
  rotateValuesKey,
} satisfies { readonly [Verb in keyof Apps]: (room: Room, ...rest: Parameters<Apps[Verb]>) => ReturnType<Apps[Verb]> }

type Case = (room: Room, actor: Actor, ...rest: never[]) => unknown

/** The use cases, with everything they need at hand. */
export const openApps = (room: Room): Apps =>
  Object.fromEntries(
    Object.entries(CASES).map(([name, run]) => [
      name,
      (actor: Actor, ...rest: never[]) => (run as Case)(room, actor, ...rest),
    ]),
  ) as unknown as Apps
