import { describe, expect, test } from 'bun:test'
import { findSynonyms, simplifyHeader } from './synonyms'

describe('findSynonyms', () => {
  test.each([
    ['deals', 'Owner email', 'owner'],
    ['companies', 'Headquarters (US State)', 'primary_location.region'],
    ['people', 'E-Mail', 'email_addresses'],
    ['people', 'E-Mail-Adressen', 'email_addresses'],
    ['companies', 'Gründungsdatum', 'foundation_date'],
    ['companies', 'Straße', 'primary_location.line_1'],
    ['deals', 'Inhaber des Deals', 'owner'],
  ])('%s: %s goes to %s', (object, header, target) => {
    expect(findSynonyms(object, simplifyHeader(header))).toContain(target)
  })
})
