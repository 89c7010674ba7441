import { text, url } from './kinds.ts'
import { section } from './section.ts'
import { optional, secret } from './variable.ts'

export const REMOTE = section({
  title: 'Remote commands',
  readBy: 'commands that talk to a server',
  variables: {
    url: optional(
      'CAELUS_URL',
      url('http', 'https'),
      'Server the remote commands talk to. Default: the one started by `caelus up` here.',
    ),
    token: secret(
      'CAELUS_TOKEN',
      text,
      'API token of the remote commands. Default: the one written by `caelus up` here.',
    ),
  },
})
