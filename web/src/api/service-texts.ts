/**
 * Messages of the service about sign-in and accounts, which the console shows in its language. All other errors of the service are English. A build in
 * another language has translations as the values, and the messages as the keys.
 */

const TEXTS: Readonly<Record<string, string>> = {
  'You are signed out. Sign in to go on.': 'You are signed out. Sign in to go on.',
  'Wrong email address or password.': 'Wrong email address or password.',
  'This page is out of date. Load it again and repeat what you did.':
    'This page is out of date. Load it again and repeat what you did.',
  'Your access to this workspace is suspended.': 'Your access to this workspace is suspended.',
  'Confirm that it is you with your password or your second factor.':
    'Confirm that it is you with your password or your second factor.',
  'This was not right. Try again.': 'This was not right. Try again.',
  'This passkey was not accepted.': 'This passkey was not accepted.',
  "That code isn't right. Enter the newest one.": "That code isn't right. Enter the newest one.",
  "That recovery code isn't right, or was used before.": "That recovery code isn't right, or was used before.",
  'This passkey was not accepted. Sign in with your password.':
    'This passkey was not accepted. Sign in with your password.',
  'This sign-in has expired. Sign in again from the beginning.':
    'This sign-in has expired. Sign in again from the beginning.',
  'Only an administrator of this workspace may do this.': 'Only an administrator of this workspace may do this.',
  'This is the only admin. Make another member an admin first.':
    'This is the only admin. Make another member an admin first.',
}

export const textOfService = (message: string): string => TEXTS[message] ?? message

export const SERVICE_TEXTS: readonly string[] = Object.keys(TEXTS)
