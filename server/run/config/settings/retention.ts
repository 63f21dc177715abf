/** How long data is kept that expires. */

import { parseWholeNumber } from '#run/config/setting-parsers'
import { required } from './setting'

export const RETENTION_SETTINGS = {
  eventsDays: required({
    name: 'RELATA_EVENTS_DAYS',
    fallback: '30',
    means: 'For how many days events, deliveries and their attempts are kept.',
    read: parseWholeNumber(4, 3650),
  }),
  trashDays: required({
    name: 'RELATA_TRASH_DAYS',
    fallback: '30',
    means: 'For how many days deleted records can be restored; 0 deletes them at once.',
    read: parseWholeNumber(0, 3650),
  }),
}
