/** The slug that is suggested for a name: `customer_since` for "Customer since". */
export const slugOf = (name: string, separator: '_' | '-' = '_'): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, separator)
    .replaceAll(/^[^a-z]+|[_-]$/g, '')
    .slice(0, 63)
