/** What the first start creates. */

import { parseEmailAddress, parseOneOf, parseText } from '#run/config/setting-parsers'
import { optional, required } from './setting'

export const FIRST_START_SETTINGS = {
  firstStart: required({
    name: 'RELATA_FIRST_START',
    fallback: 'print',
    means: '`print` creates workspace, admin and key; `browser` asks in the console.',
    read: parseOneOf('print', 'browser'),
  }),
  workspaceName: required({
    name: 'RELATA_WORKSPACE_NAME',
    fallback: 'My workspace',
    means: 'The name of the workspace created at the first start.',
    read: parseText,
  }),
  adminEmail: optional({
    name: 'RELATA_ADMIN_EMAIL',
    otherwise: '`admin@BRAND.local`',
    means: 'The email address of its first admin.',
    read: parseEmailAddress,
  }),
  adminPassword: optional({
    name: 'RELATA_ADMIN_PASSWORD',
    otherwise: 'generated and printed',
    means: 'The password of that account, at least 10 characters and not a common one.',
    read: parseText,
    isSecret: true,
  }),
}
