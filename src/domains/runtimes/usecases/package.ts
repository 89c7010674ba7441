import { RefusedFields } from '../../../kernel/index.ts'
import type { Actor } from '../../../store/index.ts'
import { unpack } from '../package/index.ts'
import type { AppliedPackage, PackageInput } from './port.ts'
import { putRuntime, type WriteParts } from './write.ts'

/** Every runtime of a package, one after the other; applying it again finishes what a failure left undone. */
export async function applyPackage(parts: WriteParts, actor: Actor, input: PackageInput): Promise<AppliedPackage> {
  const { source, environment, namespace, dryRun } = input
  const { runtimes, skipped, problems } = unpack(source, environment === undefined ? {} : { environment })
  if (problems.length > 0) {
    const within = (field: string): string => (field === 'package' ? field : `package.${field}`)
    throw new RefusedFields(problems.map(({ field, message }) => ({ field: within(field), message })))
  }
  const written: AppliedPackage['written'][number][] = []
  for (const { deploymentKey, name, annotations, spec } of runtimes) {
    const runtime = { namespace, name, annotations, spec }
    written.push({ ...(await putRuntime(parts, actor, runtime, { dryRun })), deploymentKey })
  }
  return { written, skipped }
}
