/** Sends emails over an SMTP server. Without a server, prints them to the log for the operator. See docs/decisions/sign-in.md. */

import { createTransport } from 'nodemailer'

export interface Email {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The same for programs that show HTML. It names its pictures by `cid:`. */
  readonly html?: string
  readonly pictures?: readonly InlinePicture[]
  /** An email that is sent again has the same, so that mailboxes show it once. */
  readonly messageId?: string
}

/** A PNG file. */
export interface InlinePicture {
  readonly cid: string
  readonly fileName: string
  readonly content: Uint8Array
}

export interface Mailer {
  /** False when emails are only printed. */
  readonly isDelivered: boolean
  /** Rejects when the mail server does not accept the email. */
  send(email: Email): Promise<void>
  close(): void
}

const TIMEOUT_MS = 20_000

/** `url` is `smtp://user:password@host:587` or `smtps://…`. Without it, emails are printed. */
export function createMailer(url: string | undefined, from: string, print: (line: string) => void): Mailer {
  if (url === undefined) return createPrintingMailer(print)
  const transport = createTransport(
    { url, connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    { from },
  )
  return {
    isDelivered: true,
    send: async ({ pictures = [], ...email }) => {
      const attachments = pictures.map(({ cid, fileName, content }) => ({
        cid,
        filename: fileName,
        content: Buffer.from(content),
        contentType: 'image/png',
        contentDisposition: 'inline' as const,
      }))
      await transport.sendMail({ ...email, attachments })
    },
    close: () => transport.close(),
  }
}

const createPrintingMailer = (print: (line: string) => void): Mailer => ({
  isDelivered: false,
  send: async ({ to, subject, text }) => print(`No mail server is set, so hand this to ${to}: ${subject}\n${text}`),
  close() {},
})
