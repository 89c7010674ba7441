import { Alert, Checkbox, Stack, Text } from '@mantine/core'
import { JsonView } from '../../../components/detail/JsonView.tsx'
import type { GrantOfferView, InspectionView } from '../../../lib/api/contract.ts'
import { grantKey, offersIn } from './grants.ts'

interface GrantReviewProps {
  readonly inspection: InspectionView
  readonly granted: ReadonlySet<string>
  readonly onChange: (granted: ReadonlySet<string>) => void
}

/** Object by object: what a release would be allowed outside of its namespace, exactly as it is shown here. */
export function GrantReview({ inspection, granted, onChange }: GrantReviewProps) {
  const offers = offersIn(inspection)
  if (offers.length === 0) return null
  const toggle = (offer: GrantOfferView): void => {
    const key = grantKey(offer)
    onChange(new Set(granted.has(key) ? [...granted].filter((one) => one !== key) : [...granted, key]))
  }
  return (
    <Alert variant="default" title="Objects of the whole cluster that you can grant">
      <Stack gap="md">
        <Text size="sm">
          Every release of this template may then have them exactly as they are shown, with its own name in the place of{' '}
          <code>{'{release}'}</code>. A tenant who orders it holds what they allow. Grants can be revoked.
        </Text>
        {offers.map((offer) => (
          <Stack key={grantKey(offer)} gap="xs">
            <Checkbox
              label={<code>{grantKey(offer)}</code>}
              description={offer.risks.join('; ')}
              checked={granted.has(grantKey(offer))}
              onChange={() => toggle(offer)}
            />
            <JsonView label={grantKey(offer)} value={offer.objects.length === 1 ? offer.objects[0] : offer.objects} />
          </Stack>
        ))}
      </Stack>
    </Alert>
  )
}
