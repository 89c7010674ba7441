import { INSTALLATION, invalid, type Config, type Env } from '../../config/index.ts'

export function neededDatabaseUrl(config: Config): string {
  const { databaseUrl } = config.of(INSTALLATION)
  if (databaseUrl !== undefined) return databaseUrl.reveal()
  throw invalid([
    'DATABASE_URL is not set: this command needs a PostgreSQL database, such as postgres://user:password@host/caelus',
  ])
}

/** The parts of a database URL that logs and responses must mask. */
export const secretsIn = (databaseUrl: string): string[] => [databaseUrl, new URL(databaseUrl).password]

export function neededKubeconfig(config: Config): string {
  const { kubeconfig } = config.of(INSTALLATION)
  if (kubeconfig !== undefined) return kubeconfig
  throw invalid(['CAELUS_KUBECONFIG is not set: this command needs a Kubernetes API server'])
}

/** The variables that the credential plugins of a kubeconfig need. */
export const forPlugins = ({ PATH, HOME }: Env): Record<string, string> => ({
  ...(PATH !== undefined && { PATH }),
  ...(HOME !== undefined && { HOME }),
})
