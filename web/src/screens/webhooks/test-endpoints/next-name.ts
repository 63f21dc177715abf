/** The name of a new test endpoint: "Test endpoint 3" after two others. */
export function nextName(endpoints: readonly { readonly name: string }[]): string {
  const names = new Set(endpoints.map(({ name }) => name))
  let number = 1
  while (names.has(`Test endpoint ${number}`)) number += 1
  return `Test endpoint ${number}`
}
