import { parseManifest, parseYaml } from './manifest.ts'
import { entryIn } from './repository-index.ts'
import { shownManifest, shownYaml } from './shown-yaml.ts'

/** What runs on a thread: from plain data to plain data. */
export const PARSERS = { manifest: parseManifest, index: entryIn, yaml: parseYaml, shownManifest, shownYaml } as const
