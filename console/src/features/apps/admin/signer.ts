import type { SignerView } from '../../../lib/api/contract.ts'

/** Who vouched for a chart, with the end of the key by which people compare. */
export const signerText = (signer: SignerView | null): string =>
  signer === null ? 'not verified' : `${signer.identity} (${signer.fingerprint.slice(-16)})`
