import { parseManifest, parseYaml } from './manifest.ts'
import { entryIn } from './repository-index.ts'

/** What runs on a thread: from plain data to plain data. */
export const PARSERS = { manifest: parseManifest, index: entryIn, yaml: parseYaml } as const
