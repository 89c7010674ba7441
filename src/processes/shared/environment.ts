import { invalid, type Config } from '../../config/index.ts'

export type Env = Readonly<Record<string, string | undefined>>

export function neededDatabaseUrl({ databaseUrl }: Pick<Config, 'databaseUrl'>): string {
  if (databaseUrl !== undefined) return databaseUrl.reveal()
  throw invalid([
    'DATABASE_URL is not set: this command needs a PostgreSQL database, such as postgres://user:password@host/caelus',
  ])
}

export function neededKubeconfig({ kubeconfig }: Pick<Config, 'kubeconfig'>): string {
  if (kubeconfig !== undefined) return kubeconfig
  throw invalid(['CAELUS_KUBECONFIG is not set: this command needs a Kubernetes API server'])
}

/** The variables that the credential plugins of a kubeconfig need. */
export const forPlugins = ({ PATH, HOME }: Env): Record<string, string> => ({
  ...(PATH !== undefined && { PATH }),
  ...(HOME !== undefined && { HOME }),
})
