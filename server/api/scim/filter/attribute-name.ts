/** The names of attributes. Upper and lower case are the same in them, and in the URNs of schemas before them. */

export const CORE = 'urn:ietf:params:scim:schemas:core:2.0:'

/** Returns the name in lower case without the URN of the schema of users or groups. The name of another schema keeps its URN. */
export function attributeName(text: string): string {
  const name = text.toLowerCase()
  for (const kind of ['user', 'group']) {
    const urn = `${CORE}${kind}`.toLowerCase()
    if (name === urn) return ''
    if (name.startsWith(`${urn}:`)) return name.slice(urn.length + 1)
  }
  return name
}
