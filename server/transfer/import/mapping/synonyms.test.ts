import { describe, expect, test } from 'bun:test'
import { findSynonyms, simplifyHeader } from './synonyms'

describe('findSynonyms', () => {
  test.each([
    ['deals', 'Owner email', 'owner'],
    ['companies', 'Headquarters (US State)', 'primary_location.region'],
    ['people', 'E-Mail', 'email_addresses'],
  ])('%s: %s goes to %s', (object, header, target) => {
    expect(findSynonyms(object, simplifyHeader(header))).toContain(target)
  })
})
