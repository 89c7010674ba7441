import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/index.ts'
import { openDomains } from '../../src/processes/domains.ts'
import { OF_API } from '../../src/processes/sections.ts'
import { openHost } from '../../src/processes/shared/host.ts'
import { assemble } from '../../src/processes/shared/serve.ts'
import { freshDatabase } from '../support/postgres.ts'

test('a process that serves the API publishes changes of organizations and of the domains', async () => {
  await using database = await freshDatabase()
  const env = { CAELUS_VALUES_KEY: `test:${Buffer.alloc(32, 7).toString('base64')}` }
  const config = readConfig(env, { sections: OF_API })
  const domains = await openDomains()
  const host = openHost({ config, env, domains, logTo: { write: () => {} } })
  const serving = await assemble({ host, domains, databaseUrl: database.urlOf('caelus_api') })
  const published: string[] = []
  serving.events.onPublish(({ topic, kind }) => published.push(`${topic} ${kind}`))
  await serving.notices.start()
  const pool = database.openPool({ settings: { 'caelus.change_quiet_ms': '0' } })
  await pool.query(`insert into tenant.organizations (name) values ('Acme')`)
  await pool.query(`insert into caelus.product (name) values ('shop')`)
  await expect.poll(() => published).toEqual(['organizations Organization', 'apps Product'])
  await serving.notices.stop()
  await serving.close()
})
