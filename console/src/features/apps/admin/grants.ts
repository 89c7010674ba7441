import type { FindingView, GrantName, GrantOfferView, InspectionView } from '../../../lib/api/contract.ts'

/** As people write it: `ClusterRole/{release}-reader`. */
export const grantKey = ({ kind, name }: { readonly kind: string | null; readonly name: string | null }): string =>
  `${kind}/${name}`

export const grantNamed = (key: string): GrantName => {
  const [kind = '', ...name] = key.split('/')
  return { kind, name: name.join('/') }
}

export const offersIn = ({ findings }: InspectionView): GrantOfferView[] =>
  findings.flatMap(({ grant }) => (grant?.grantable === true ? [grant] : []))

/** What makes every order fail, but for what is granted. */
export const problemsIn = ({ findings }: InspectionView, granted: ReadonlySet<string>): FindingView[] =>
  findings.filter(
    ({ severity, grant }) => severity === 'problem' && !(grant?.grantable === true && granted.has(grantKey(grant))),
  )
