/** Quotas of a workspace and rate limits of its callers. */

import { parseWholeNumber } from '#run/config/setting-parsers'
import { optional, required } from './setting'

export const LIMIT_SETTINGS = {
  objectQuota: optional({
    name: 'RELATA_OBJECT_QUOTA',
    otherwise: 'no limit',
    means: 'How many custom objects a workspace may have.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  memberQuota: optional({
    name: 'RELATA_MEMBER_QUOTA',
    otherwise: 'no limit',
    means: 'How many members of a workspace may be active. Suspended ones do not count.',
    read: parseWholeNumber(1, 1_000_000),
  }),
  readLimit: required({
    name: 'RELATA_RATE_LIMIT_READS',
    fallback: '0',
    means: 'How many reads a second a key or app may make; 0 for no limit.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  writeLimit: required({
    name: 'RELATA_RATE_LIMIT_WRITES',
    fallback: '0',
    means: 'The same for writes.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  mergeLimit: required({
    name: 'RELATA_RATE_LIMIT_MERGES',
    fallback: '0',
    means: 'The same for merging records.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  recordingLimit: required({
    name: 'RELATA_RATE_LIMIT_RECORDINGS',
    fallback: '0',
    means: 'The same for creating call recordings.',
    read: parseWholeNumber(0, 1_000_000),
  }),
}
