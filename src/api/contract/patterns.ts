export const ID_PATTERN = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
export const NUMBER_PATTERN = '^\\d{1,18}$'
export const EMAIL_PATTERN = '^[^\\s@]+@[^\\s@]+$'
export const NOT_BLANK_PATTERN = '\\S'
export const ICON_PATTERN = '^data:image/(png|svg\\+xml|webp|jpeg|gif);base64,[A-Za-z0-9+/]+=*$'
export const NAME_PATTERN = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'
export const NAMESPACE_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'
export const CLUSTER_NAME_PATTERN = '^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$'
export const POOL_NAME_PATTERN = '^[a-z]([-a-z0-9]{0,13}[a-z0-9])?$'
export const VERSION_PATTERN = '^\\d+\\.\\d+(\\.\\d+)?$'
export const WINDOW_PATTERN = '^([01]\\d|2[0-3])[0-5]\\d[0-5]\\d[+-](0\\d|1[0-4])[0-5]\\d$'

/** The message for a text that does not match, in words instead of a pattern. */
export const PATTERN_WORDS: Readonly<Record<string, string>> = {
  [ID_PATTERN]: 'must be an id such as 123e4567-e89b-42d3-a456-426614174000',
  [NUMBER_PATTERN]: 'must be a whole number such as 42',
  [EMAIL_PATTERN]: 'must be an email such as ada@example.com',
  [NOT_BLANK_PATTERN]: 'must not be blank',
  [ICON_PATTERN]: 'must be a PNG, SVG, WebP, JPEG or GIF image as a data URL, such as data:image/png;base64,…',
  [NAME_PATTERN]: 'must be lower case letters, digits, hyphens and dots, with a letter or digit at both ends',
  [NAMESPACE_PATTERN]: 'must be lower case letters, digits and hyphens, with a letter or digit at both ends',
  [CLUSTER_NAME_PATTERN]:
    'must be at most 40 lower case letters, digits and hyphens, with a letter first and a letter or digit last, such as prod-1',
  [POOL_NAME_PATTERN]:
    'must be at most 15 lower case letters, digits and hyphens, with a letter first and a letter or digit last, such as pool-1',
  [VERSION_PATTERN]: 'must be a version such as 1.34 or 1.34.3',
  [WINDOW_PATTERN]: 'must be a time of day with its zone, such as 220000+0100',
}
