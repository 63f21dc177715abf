/** Requests of the service to other hosts. */

import { parseOnOff, parseWholeNumber } from '#run/config/setting-parsers'
import { required } from './setting'

export const OUTBOUND_SETTINGS = {
  webhookRate: required({
    name: 'RELATA_WEBHOOK_RATE',
    fallback: '25',
    means: 'How many requests a second one webhook target gets; 0 for no limit.',
    read: parseWholeNumber(0, 1_000_000),
  }),
  webhookTimeout: required({
    name: 'RELATA_WEBHOOK_TIMEOUT',
    fallback: '5',
    means: 'How many seconds a receiver may take to answer.',
    read: parseWholeNumber(1, 60),
  }),
  allowPrivateTargets: required({
    name: 'RELATA_ALLOW_PRIVATE_TARGETS',
    fallback: '0',
    means: '`1` allows private addresses and http: webhooks, videos, providers; for development.',
    read: parseOnOff,
  }),
}
