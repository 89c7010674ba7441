import type { Command } from 'commander'
import { allPages, restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList } from '../../output.ts'
import { PRODUCT, productNamed, templateNamed } from './nouns.ts'
import { needsOneOf, outputOption, type OutputOption } from '../options.ts'

interface Product {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly template_id: string | null
  readonly created_at: string
}

interface ChangeOptions extends OutputOption {
  readonly name?: string
  readonly description?: string
  readonly icon?: string
  readonly template?: string
}

const pathOf = (id: string): string => `/products/${encodeURIComponent(id)}`

const inputs = ({ name, description, icon }: ChangeOptions): object => ({
  ...(name !== undefined && { name }),
  ...(description !== undefined && { description }),
  ...(icon !== undefined && { icon }),
})

export function productCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('create-product')
    .description('create a product; templates make it orderable')
    .argument('<name>', 'how tenants know it')
    .option('--description <text>', 'what it is for')
    .option('--icon <url>', 'an image as a data: URL')
    .addOption(outputOption())
    .action(async (name: string, options: ChangeOptions) => {
      const product = await restClient(await remote()).post<Product>('/products', { ...inputs(options), name })
      terminal.out(formatFacts(options.output, product))
    })

  program
    .command('list-products')
    .description('list the products that can be ordered')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) => {
      const columns = [
        { head: 'id', cell: (product: Product) => product.id },
        { head: 'name', cell: (product: Product) => product.name },
        { head: 'canonical template', cell: (product: Product) => product.template_id },
        { head: 'description', cell: (product: Product) => product.description },
      ]
      terminal.out(formatList(output, await allPages<Product>(restClient(await remote()), '/products'), columns))
    })

  program
    .command('get-product')
    .description('show a product')
    .argument('<product>', PRODUCT.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      terminal.out(formatFacts(output, await client.get<Product>(pathOf(await productNamed(client, named)))))
    })

  const update = program
    .command('update-product')
    .description('change a product, or which template new deployments get')
    .argument('<product>', PRODUCT.named)
    .option('--name <name>', 'how tenants know it')
    .option('--description <text>', 'what it is for')
    .option('--icon <url>', 'an image as a data: URL')
    .option('--template <template>', 'the one that becomes canonical, by label, chart version or id')
    .addOption(outputOption())
  needsOneOf(update, '--name', '--description', '--icon', '--template').action(
    async (named: string, options: ChangeOptions) => {
      const client = restClient(await remote())
      const patch = inputs(options)
      const id = await productNamed(client, named)
      const { template: wanted } = options
      const template = wanted === undefined ? undefined : await templateNamed(client, id, wanted)
      let product: Product | undefined
      if (Object.keys(patch).length > 0) product = await client.patch(pathOf(id), patch)
      if (template !== undefined) product = await client.put(`${pathOf(id)}/template`, { template_id: template })
      terminal.out(formatFacts(options.output, product ?? {}))
    },
  )

  program
    .command('delete-product')
    .description('delete a product: it can no longer be ordered; its deployments stay')
    .argument('<product>', PRODUCT.named)
    .action(async (named: string) => {
      const client = restClient(await remote())
      await client.delete(pathOf(await productNamed(client, named)))
      terminal.out(`deleted ${named}\n`)
    })
}
