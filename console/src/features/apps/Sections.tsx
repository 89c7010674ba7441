import { SectionLinks } from '../../components/detail/SectionLinks.tsx'
import { pages } from './paths.ts'

const FOR_ALL = [
  [pages.mine, 'My apps'],
  [pages.catalogue, 'Catalogue'],
] as const

const FOR_ADMINS = [
  [pages.all, 'All apps'],
  [pages.products, 'Products'],
  [pages.sources, 'Chart sources'],
  [pages.queue, 'Queue'],
] as const

/** The lists of this domain, side by side. */
export const Sections = ({ isAdmin }: { readonly isAdmin: boolean }) => (
  <SectionLinks label="Apps" sections={[...FOR_ALL, ...(isAdmin ? FOR_ADMINS : [])]} />
)
