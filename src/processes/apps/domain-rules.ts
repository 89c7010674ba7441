import { isIP } from 'node:net'
import { APPS } from '../../config/apps.ts'
import { SERVER, type Config } from '../../config/index.ts'
import type { DomainRules } from '../../domains/apps/index.ts'

/** Which domains may be ordered. The console's own host may not: an app below it could set cookies for it. */
export function domainRules(config: Config): DomainRules {
  const { reservedDomains, allowedDomains = [] } = config.of(APPS)
  const { publicUrl } = config.of(SERVER)
  const host = publicUrl === undefined ? '' : new URL(publicUrl).hostname.toLowerCase()
  const isName = host.includes('.') && isIP(host) === 0
  return { reserved: isName ? [host, ...reservedDomains] : reservedDomains, allowed: allowedDomains }
}
