/** Locations and personal names. See docs/reference/values.md (Location, Personal name). */

import { describe } from 'bun:test'
import { accepts, refuses } from '../../support/fixtures/value-cases'
import { service } from './service'

const at = (attribute: string, object?: string) => () => service().place(attribute, object)

const NOWHERE = {
  line_1: null,
  line_2: null,
  line_3: null,
  line_4: null,
  locality: null,
  region: null,
  postcode: null,
  country_code: null,
  latitude: null,
  longitude: null,
}

const PARTS = Object.keys(NOWHERE)

const FULL = {
  ...NOWHERE,
  line_1: '1 Infinite Loop',
  line_2: 'Suite 2',
  locality: 'Cupertino',
  country_code: 'US',
  latitude: '37.331741',
  longitude: '-122.030333',
}

const without = (part: string) => Object.fromEntries(Object.entries(FULL).filter(([name]) => name !== part))

describe('location', () => {
  accepts(at('location'), [
    { send: FULL, reads: [FULL] },
    { send: [FULL], reads: [FULL] },
    { send: { ...FULL, other: 'ignored' }, reads: [FULL] },
    {
      send: { ...NOWHERE, latitude: '90', longitude: '-180.0' },
      reads: [{ ...NOWHERE, latitude: '90', longitude: '-180.0' }],
    },
    { send: { ...NOWHERE, latitude: '1.12345678999' }, reads: [{ ...NOWHERE, latitude: '1.123456789' }] },
    { send: NOWHERE, reads: [] },
    { send: null, reads: [] },
    {
      send: '1 Infinite Loop, Cupertino, CA, 95014, US',
      reads: [
        {
          ...NOWHERE,
          line_1: '1 Infinite Loop',
          locality: 'Cupertino',
          region: 'CA',
          postcode: '95014',
          country_code: 'US',
        },
      ],
    },
    { send: 'London, UK', reads: [{ ...NOWHERE, locality: 'London', country_code: 'GB' }] },
    { send: 'Somewhere', reads: [{ ...NOWHERE, locality: 'Somewhere' }] },
  ])
  refuses(
    at('location'),
    PARTS.map((part) => ({ send: without(part), code: 'validation_type', says: ['"location"'], at: [part] })),
  )
  refuses(
    at('location'),
    PARTS.map((part) => ({ send: { ...FULL, [part]: 5 }, code: 'validation_type', at: [part] })),
  )
  refuses(at('location'), [
    { send: { ...FULL, country_code: 'XX' }, code: 'validation_type', at: ['country_code'] },
    { send: { ...FULL, latitude: '90.1' }, code: 'validation_type', at: ['latitude'] },
    { send: { ...FULL, latitude: 'north' }, code: 'validation_type', at: ['latitude'] },
    { send: { ...FULL, longitude: '180.1' }, code: 'validation_type', at: ['longitude'] },
    { send: 5, code: 'validation_type' },
    { send: [FULL, FULL], code: 'validation_type', at: ['data', 'values', 'location'] },
  ])
})

const name = (first_name: string, last_name: string, full_name: string) => [{ first_name, last_name, full_name }]

describe('personal-name', () => {
  accepts(at('name', 'people'), [
    { send: 'Smith, John', reads: name('John', 'Smith', 'John Smith') },
    { send: 'Smith, John, Jr', reads: name('John, Jr', 'Smith', 'John, Jr Smith') },
    { send: 'John Smith', reads: name('John Smith', '', 'John Smith') },
    { send: 'Smith,', reads: name('', 'Smith', 'Smith') },
    { send: ['Smith, John'], reads: name('John', 'Smith', 'John Smith') },
    {
      send: { first_name: 'John', last_name: 'Smith', full_name: 'Dr John Smith' },
      reads: name('John', 'Smith', 'Dr John Smith'),
    },
    { send: [{ first_name: 'John', last_name: '', full_name: '' }], reads: name('John', '', '') },
    { send: { first_name: '', last_name: '', full_name: '' }, reads: [] },
    { send: null, reads: [] },
  ])
  refuses(at('name', 'people'), [
    { send: {}, code: 'validation_type', says: ['"name"', 'Required'], at: ['first_name'] },
    { send: {}, code: 'validation_type', at: ['last_name'] },
    { send: {}, code: 'validation_type', at: ['full_name'] },
    { send: { first_name: 'John', last_name: 'Smith' }, code: 'validation_type', at: ['full_name'] },
    { send: { first_name: null, last_name: 'Smith', full_name: 'Smith' }, code: 'validation_type', at: ['first_name'] },
    { send: 5, code: 'validation_type' },
    { send: ['Smith, John', 'Doe, Jane'], code: 'validation_type', at: ['data', 'values', 'name'] },
  ])
})
