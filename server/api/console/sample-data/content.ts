/**
 * The sample data: a small sales team's companies, people and deals. Domains are below `example.com`, which RFC 2606 keeps free, so that no
 * message reaches a stranger. Texts are in the languages of the console.
 */

export const SAMPLE_COMPANIES = [
  [
    'Northwind Robotics',
    'northwind.example.com',
    { en: 'Robots that sort parcels in warehouses.', de: 'Roboter, die Pakete in Lagern sortieren.' },
  ],
  [
    'Lumen Health',
    'lumen.example.com',
    { en: 'Software for the appointments of small clinics.', de: 'Software für die Termine kleiner Praxen.' },
  ],
  [
    'Fjord Logistics',
    'fjord.example.com',
    {
      en: 'Freight by sea between Norway and the Netherlands.',
      de: 'Seefracht zwischen Norwegen und den Niederlanden.',
    },
  ],
  [
    'Paper Crane Studio',
    'papercrane.example.com',
    { en: 'Packaging design for food brands.', de: 'Verpackungsdesign für Lebensmittelmarken.' },
  ],
  [
    'Alder & Finch',
    'alderfinch.example.com',
    { en: 'Accountants for family businesses.', de: 'Steuerberatung für Familienunternehmen.' },
  ],
] as const

/** First name, last name, job title, and the number of the company. */
export const SAMPLE_PEOPLE = [
  ['Mara', 'Lindqvist', { en: 'Head of Operations', de: 'Leiterin Betrieb' }, 0],
  ['Tomás', 'Herrera', { en: 'Purchasing', de: 'Einkauf' }, 0],
  ['Priya', 'Raman', { en: 'Founder', de: 'Gründerin' }, 1],
  ['Jonas', 'Weber', { en: 'Product Manager', de: 'Produktmanager' }, 1],
  ['Ingrid', 'Solberg', { en: 'Managing Director', de: 'Geschäftsführerin' }, 2],
  ['Daniel', 'Okafor', { en: 'IT Lead', de: 'IT-Leiter' }, 2],
  ['Hana', 'Sato', { en: 'Creative Director', de: 'Kreativdirektorin' }, 3],
  ['Claire', 'Dubois', { en: 'Partner', de: 'Partnerin' }, 4],
] as const

/** Name, value, how far it is (0 the first stage, 1 the last), the number of the company, and those of people. */
export const SAMPLE_DEALS = [
  [{ en: 'Northwind: pilot in two warehouses', de: 'Northwind: Pilot in zwei Lagern' }, 48_000, 0.34, 0, [0, 1]],
  [{ en: 'Northwind: maintenance contract', de: 'Northwind: Wartungsvertrag' }, 12_500, 0, 0, [1]],
  [{ en: 'Lumen: yearly licence', de: 'Lumen: Jahreslizenz' }, 18_900, 0.67, 1, [2]],
  [{ en: 'Fjord: tracking of containers', de: 'Fjord: Containerverfolgung' }, 36_000, 0.34, 2, [4, 5]],
  [{ en: 'Paper Crane: starter plan', de: 'Paper Crane: Einstiegstarif' }, 3_600, 0, 3, [6]],
  [{ en: 'Alder & Finch: migration', de: 'Alder & Finch: Migration' }, 9_400, 0.67, 4, [7]],
] as const

/** Title, content, and the number of the company. */
export const SAMPLE_NOTES = [
  [
    { en: 'First call with Northwind', de: 'Erstes Gespräch mit Northwind' },
    {
      en: 'They run **two warehouses** and want to start with one line.\n\n- Decision in six weeks\n- Mara signs, Tomás negotiates\n- Needs a reference from logistics',
      de: 'Sie betreiben **zwei Lager** und wollen mit einer Linie beginnen.\n\n- Entscheidung in sechs Wochen\n- Mara unterschreibt, Tomás verhandelt\n- Brauchen eine Referenz aus der Logistik',
    },
    0,
  ],
  [
    { en: 'What Lumen asks for', de: 'Was Lumen braucht' },
    {
      en: 'Single sign-on, and an export every month. Priya decides alone.',
      de: 'Single Sign-on und jeden Monat einen Export. Priya entscheidet allein.',
    },
    1,
  ],
] as const

/** Content, days until it is due, and the number of the deal. */
export const SAMPLE_TASKS = [
  [{ en: 'Send the offer for the pilot to Mara', de: 'Mara das Angebot für den Piloten senden' }, 0, 0],
  [
    { en: 'Ask Ingrid for the number of containers a month', de: 'Ingrid nach der Zahl der Container im Monat fragen' },
    1,
    3,
  ],
  [{ en: 'Prepare the demo for Lumen', de: 'Demo für Lumen vorbereiten' }, 3, 2],
] as const

/** Title, days from now, hour of the day in UTC, and the number of the person. */
export const SAMPLE_MEETINGS = [
  [{ en: 'Pilot review with Northwind', de: 'Auswertung des Piloten mit Northwind' }, 0, 15, 0],
  [{ en: 'Demo for Lumen Health', de: 'Demo für Lumen Health' }, 3, 9, 2],
] as const
