import type { TemplateView } from '../../lib/api/contract.ts'

/** The label that an admin gave it, with the version of the chart where that says more. */
export const templateName = ({
  version_label: label,
  chart_version: version,
}: Pick<TemplateView, 'version_label' | 'chart_version'>): string =>
  label === null || label === version ? version : `${label} (chart ${version})`
