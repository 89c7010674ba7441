export const ID_PATTERN = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
export const NUMBER_PATTERN = '^\\d{1,18}$'
export const EMAIL_PATTERN = '^[^\\s@]+@[^\\s@]+$'
export const NOT_BLANK_PATTERN = '\\S'
export const ICON_PATTERN = '^data:image/(png|svg\\+xml|webp|jpeg|gif);base64,[A-Za-z0-9+/]+=*$'
export const NAME_PATTERN = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'
export const NAMESPACE_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'

/** The message for a text that does not match, in words instead of a pattern. */
export const PATTERN_WORDS: Readonly<Record<string, string>> = {
  [ID_PATTERN]: 'must be an id such as 123e4567-e89b-42d3-a456-426614174000',
  [NUMBER_PATTERN]: 'must be a whole number such as 42',
  [EMAIL_PATTERN]: 'must be an email such as ada@example.com',
  [NOT_BLANK_PATTERN]: 'must not be blank',
  [ICON_PATTERN]: 'must be a PNG, SVG, WebP, JPEG or GIF image as a data URL, such as data:image/png;base64,…',
  [NAME_PATTERN]: 'must be lower case letters, digits, hyphens and dots, with a letter or digit at both ends',
  [NAMESPACE_PATTERN]: 'must be lower case letters, digits and hyphens, with a letter or digit at both ends',
}
