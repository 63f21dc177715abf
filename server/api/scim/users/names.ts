import type { UserChange } from './user-change'

interface Names {
  readonly givenName: string
  readonly familyName: string
}

/** Makes both parts of a name from the name in one piece when both are empty. The last space separates them. */
export function splitFullName<T extends UserChange>(change: T, present: Names = { givenName: '', familyName: '' }): T {
  const { givenName = present.givenName, familyName = present.familyName } = change
  const fullName = change.fullName?.trim() ?? ''
  if (givenName !== '' || familyName !== '' || fullName === '') return change
  const space = fullName.lastIndexOf(' ')
  return space === -1
    ? { ...change, givenName: fullName }
    : { ...change, givenName: fullName.slice(0, space).trimEnd(), familyName: fullName.slice(space + 1) }
}
