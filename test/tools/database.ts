import { Client } from 'pg'

export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
