import { Option, type Command } from 'commander'
import { parsedObject } from './values.ts'

export interface LayoutOptions {
  readonly domainPath?: readonly string[]
  /** `true`: nothing was said. `false`: `--no-ingress-class-path`. */
  readonly ingressClassPath?: readonly string[] | boolean
  readonly caelusValues: boolean
  readonly planJson?: string
  readonly settingsAt?: 'user' | 'root'
}

const collected = (path: string, before: unknown): readonly string[] => [
  ...(Array.isArray(before) ? (before as string[]) : []),
  path,
]

/** Where in the values of the chart the platform and the tenant write. */
export const withLayout = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--domain-path <path>',
        'value that takes the domain, such as ingress.hosts[0].host; may be repeated',
      ).argParser(collected),
    )
    .addOption(
      new Option(
        '--ingress-class-path <path>',
        'value that takes the name of the ingress class; may be repeated',
      ).argParser(collected),
    )
    .option('--no-ingress-class-path', 'the chart is not told the ingress class')
    .option('--no-caelus-values', 'the chart is not told caelus.*')
    .option('--plan-json <json>', 'the value of caelus.plan, as JSON')
    .addOption(
      new Option('--settings-at <place>', 'where the chart has what tenants may set').choices(['user', 'root']),
    )

/** What was said of it, as the API takes it; nothing if nothing was said. */
export function layoutIn(options: LayoutOptions): { readonly layout?: object } {
  const { domainPath, ingressClassPath, caelusValues, planJson, settingsAt } = options
  const layout = {
    ...(domainPath !== undefined && { domain_paths: domainPath }),
    ...(typeof ingressClassPath === 'object' && { ingress_class_paths: ingressClassPath }),
    ...(ingressClassPath === false && { ingress_class_paths: [] }),
    ...(!caelusValues && { caelus_values: false }),
    ...(planJson !== undefined && { plan: parsedObject('--plan-json', planJson) }),
    ...(settingsAt !== undefined && { user_values: settingsAt }),
  }
  return Object.keys(layout).length === 0 ? {} : { layout }
}
