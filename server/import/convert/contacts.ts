/** Addresses and telephone numbers, several in one cell, with what people write around them. */

/** A cell of one address and nothing else. */
const BARE_EMAIL = /^[^\s;|,<>:]+$/
/** And of one number. */
const BARE_PHONE = /^\+?\d(?:[\d() .-]*\d)?$/

/** `Ada <ada@example.com>; mailto:bob@example.com`. */
export const splitEmails = (text: string): string[] => (BARE_EMAIL.test(text) ? [text] : splitWritten(text))

const splitWritten = (text: string): string[] =>
  text
    .split(/[;|\n,]/)
    .flatMap((part) => /<([^<>]+)>/.exec(part)?.[1] ?? part.trim().split(/\s+/))
    .map((part) => part.trim().replace(/^mailto:/i, ''))
    .filter((part) => part !== '')

/** Numbers apart by semicolons, bars, slashes, commas or line breaks; an apostrophe from a spreadsheet goes. */
export const splitPhones = (text: string): string[] => (BARE_PHONE.test(text) ? [text] : splitNumbers(text))

const splitNumbers = (text: string): string[] =>
  text
    .split(/[;|\n,/]/)
    .map((part) => part.trim().replace(/^'/, ''))
    .filter((part) => part !== '')
