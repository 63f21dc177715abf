/** The slugs that are suggested for names. Letters lose their accents: "Björn" becomes `bjorn`. */

const MAX_LENGTH = 63
/** The URL of a workspace has a shorter limit. */
const MAX_WORKSPACE_LENGTH = 60

/** The slug of an object, a list or an attribute: `customer_since` for "Customer since". It begins with a letter. */
export const slugOf = (name: string): string =>
  words(name, '_')
    .replaceAll(/^[^a-z]+|_$/g, '')
    .slice(0, MAX_LENGTH)

/** The slug of a workspace: `blue-cross` for "Blue Cross". */
export const workspaceSlugOf = (name: string): string =>
  words(name, '-').slice(0, MAX_WORKSPACE_LENGTH).replaceAll(/^-|-$/g, '')

const words = (name: string, separator: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, separator)
