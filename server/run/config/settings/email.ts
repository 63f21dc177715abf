/** How emails are sent. */

import { parseMailServer, parseText } from '#run/config/setting-parsers'
import { optional } from './setting'

export const EMAIL_SETTINGS = {
  smtpUrl: optional({
    name: 'RELATA_SMTP_URL',
    otherwise: 'emails are printed in the log',
    means: 'The mail server, `smtp://user:password@host:587` or `smtps://…`.',
    read: parseMailServer,
    isSecret: true,
  }),
  mailFrom: optional({
    name: 'RELATA_MAIL_FROM',
    otherwise: '`BRAND@` the host of `RELATA_BASE_URL`',
    means: 'The sender of emails.',
    read: parseText,
  }),
}
