/** Common names of columns for the attributes of standard objects, in English and in German. */

const list = (names: string): string[] => names.split(',').map((name) => name.trim())

const LOCATION: Readonly<Record<string, string[]>> = {
  primary_location: list(
    'location, headquarters, hq, address, full address, based in, hauptstandort, standort, adresse, anschrift',
  ),
  'primary_location.line_1': list('street, street address, address line 1, address 1, straße, strasse'),
  'primary_location.line_2': list('address line 2, address 2, adresszusatz'),
  'primary_location.locality': list('city, town, headquarters city, hq city, locality, ort, stadt'),
  'primary_location.region': list(
    'state, us state, region, province, headquarters us state, headquarters state, headquarters region, hq state, county, bundesland',
  ),
  'primary_location.postcode': list('zip, zip code, postcode, postal code, headquarters zip, plz, postleitzahl'),
  'primary_location.country_code': list('country, headquarters country, hq country, country code, land'),
  'primary_location.latitude': list('latitude, lat'),
  'primary_location.longitude': list('longitude, lng, lon'),
}

const PROFILES: Readonly<Record<string, string[]>> = {
  angellist: list('angellist url, angel list, wellfound'),
  facebook: list('facebook url, facebook page'),
  instagram: list('instagram url'),
  linkedin: list('linkedin url, linkedin profile, linkedin profile url, linkedin page, company linkedin url'),
  twitter: list('twitter url, twitter handle, x url, x handle'),
}

/** The names of columns by standard object and target. The first target that is free is proposed. */
const SYNONYMS: Readonly<Record<string, Readonly<Record<string, string[]>>>> = {
  companies: {
    name: list(
      'company, company name, organization, organisation, organization name, startup, account, account name, business, firma, firmenname, unternehmen',
    ),
    domains: list(
      'website, websites, url, domain, domain name, homepage, home page, web, web site, company website, company domain, website url, company url, site, webseite, internetseite',
    ),
    description: list('about, summary, short description, company description, bio, beschreibung'),
    categories: list(
      'category, industry, industries, sector, sectors, category list, kategorie, kategorien, branche, branchen',
    ),
    foundation_date: list(
      'founded, year founded, founded year, founded on, founding year, founding date, date founded, established, gründungsdatum, gegründet, gründungsjahr',
    ),
    funding_raised_usd: list('eingeworbenes kapital'),
    employee_range: list('company size, size, employees range, anzahl der mitarbeitenden, mitarbeiterzahl'),
    estimated_arr_usd: list('arr, estimated arr, geschätzter arr'),
    ...LOCATION,
    ...PROFILES,
  },
  people: {
    name: list('full name, contact, contact name, person, person name, ansprechpartner'),
    'name.first_name': list('first name, given name, forename, first, vorname'),
    'name.last_name': list('last name, surname, family name, last, nachname'),
    email_addresses: list(
      'email, e-mail, emails, email address, mail, work email, primary email, contact email, e-mail-adresse, e-mail-adressen',
    ),
    phone_numbers: list(
      'phone, phone number, phones, telephone, tel, mobile, mobile phone, cell, cell phone, work phone, telefon, telefonnummer, telefonnummern, mobil, handy',
    ),
    job_title: list('title, position, role, job, job role, funktion'),
    description: list('about, bio, summary, beschreibung'),
    company: list('company domain, company website, company url, organization, website, unternehmen'),
    ...LOCATION,
    ...PROFILES,
  },
  deals: {
    name: list('deal, opportunity, opportunity name, deal title, title, name des deals'),
    stage: list('status, deal status, pipeline stage, phase des deals, phase'),
    owner: list('owner email, deal owner email, assigned to, sales rep, inhaber des deals, inhaber'),
    value: list('amount, deal amount, price, deal size, wert des deals, wert, betrag'),
    associated_company: list('company, company domain, account, zugehöriges unternehmen, unternehmen, firma'),
    associated_people: list('contact, contacts, people, person, contact email, zugehörige personen, personen'),
  },
  users: {
    user_id: list('user id, uid'),
    primary_email_address: list('email, email address, e-mail, primäre e-mail-adresse, e-mail-adresse'),
  },
  workspaces: {
    workspace_id: list('workspace id'),
    name: list('workspace, workspace name'),
  },
}

/** Normalising a run of combining marks takes time in the square of its length. */
const MAX_COMPARED_CHARACTERS = 200

/** Keeps letters and digits only: `Headquarters (US State)` becomes `headquartersusstate`. */
export const simplifyHeader = (header: string): string =>
  header
    .slice(0, MAX_COMPARED_CHARACTERS)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The possible targets of a column on a standard object, by its simplified name, best first. */
export function findSynonyms(standardSlug: string | null, simplified: string): readonly string[] {
  const slug = standardSlug ?? ''
  const targets = targetsByName.get(slug) ?? collectTargets(SYNONYMS[slug] ?? {})
  targetsByName.set(slug, targets)
  return targets.get(simplified) ?? []
}

/** Caches the targets of each standard object. */
const targetsByName = new Map<string, ReadonlyMap<string, readonly string[]>>()

function collectTargets(synonyms: Readonly<Record<string, string[]>>): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>()
  for (const [target, names] of Object.entries(synonyms)) {
    for (const name of new Set(names.map(simplifyHeader))) targets.set(name, [...(targets.get(name) ?? []), target])
  }
  return targets
}
