/** The checkout page in German. */
import type { Words } from "./words.ts"

export const german: Words = {
  thousands: "\u202f",
  open: "Warten auf Zahlung",
  processing: "Zahlung erkannt",
  partlyPaid: "Teilweise bezahlt",
  paid: "Bezahlt",
  expired: "Diese Zahlungsanforderung ist abgelaufen",
  cancelled: "Diese Zahlungsanforderung wurde storniert",
  expiredAdvice:
    "Senden Sie kein Geld an diese Adresse. Bitten Sie den Händler um eine neue Zahlungsanforderung.",
  cancelledAdvice:
    "Senden Sie kein Geld an diese Adresse. Wenden Sie sich an den Händler, falls das ein Irrtum ist.",
  arrivedLate: "{received} sind angekommen, nachdem diese Zahlungsanforderung beendet war.",
  arrivedInPart: "{received} sind rechtzeitig angekommen, weniger als angefordert.",
  arrivedAgain: "{received} sind angekommen, nachdem diese Zahlungsanforderung schon bezahlt war.",
  arrivedAdvice: "Senden Sie nichts weiter an diese Adresse.",
  merchantDecides:
    "Der Händler sieht das Geld und entscheidet, ob es als Ihre Zahlung gilt oder an Sie zurückgeht. Sie müssen nichts tun; diese Seite zeigt die Entscheidung. Dauert es lange, wenden Sie sich an den Händler und nennen Sie diese Transaktion.",
  merchantCounted: "Der Händler hat es als Zahlung angerechnet.",
  merchantReturned: "Der Händler hat es zurückgesendet.",
  merchantIgnored:
    "Der Händler hat es abgeschlossen, ohne es anzurechnen. Wenden Sie sich an den Händler, falls das ein Irrtum ist.",
  title: "{amount} an {merchant}",
  testMode: "Testmodus: Dieses Geld ist nicht echt",
  payForTest: "Mit Testgeld bezahlen",
  progress: "Fortschritt",
  send: "Senden",
  confirm: "Bestätigen",
  done: "Fertig",
  missing: "{received} erhalten, {due} fehlen",
  overpaid:
    "{received} erhalten, mehr als angefordert. Der Händler sieht die Differenz und kann sie zurücksenden.",
  confirmations: "Bestätigungen",
  confirmationsSeen: "{seen} von {needed} Bestätigungen",
  sendExactly: "Genau senden",
  network: "Netzwerk",
  address: "Adresse",
  amount: "Betrag",
  copy: "Kopieren",
  theAmount: "den Betrag",
  theAddress: "die Adresse",
  copied: "{what} kopiert.",
  notCopied: "Ihr Browser erlaubt das Kopieren nicht; markieren Sie stattdessen den Text.",
  sendOnly: "Senden Sie nur {symbol} auf {network}; alles andere wird hier nicht gutgeschrieben.",
  qrCode: "QR-Code, um {due} auf {network} zu bezahlen",
  openWallet: "In einer Wallet-App öffnen",
  payWith: "Mit {wallet} bezahlen",
  signWhich: "Unterschreiben, welche Anforderung Sie bezahlt haben",
  expires: "Läuft ab: {time}",
  timeLeft: "noch {time}",
  days: "{count} Tage",
  hours: "{hours} Std. {minutes} Min.",
  timeUp: "abgelaufen: kein Geld senden",
  paidAt: "Bezahlt am",
  transaction: "Transaktion",
  printReceipt: "Beleg drucken",
  returnTo: "Zurück zu {merchant}",
  goBackTo: "Zurück zu {merchant}",
  connecting: "Verbindung wird aufgebaut…",
  live: "Wird automatisch aktualisiert",
  lost: "Verbindung verloren, neuer Versuch…",
  confirmInWallet: "Bestätigen Sie in Ihrer Wallet…",
  declined: "Sie haben in Ihrer Wallet abgelehnt. Es wurde nichts gesendet.",
  unknownNetwork:
    "Ihre Wallet kennt dieses Netzwerk nicht. Fügen Sie es dort hinzu oder bezahlen Sie mit dem QR-Code.",
  walletFailed:
    "Ihre Wallet konnte diese Zahlung nicht senden. Prüfen Sie Ihre Wallet, bevor Sie es erneut versuchen.",
  tooLittle:
    "Diese Wallet hat {held} auf {network}, weniger als die fälligen {due}. Es wurde nichts gesendet.",
  noCoin:
    "Diese Wallet hat kein SOL auf {network} für die Netzwerkgebühr. Es wurde nichts gesendet.",
  notReady:
    "Das Netzwerk antwortet gerade nicht. Es wurde nichts gesendet; versuchen Sie es gleich erneut.",
  walletGone: "Diese Wallet ist nicht mehr verfügbar; laden Sie die Seite neu.",
  otherAccount:
    "Dieses Konto kann diese Anforderung nicht bezahlen. Es wurde nichts gesendet; wählen Sie in Ihrer Wallet ein anderes Konto.",
  tooOften:
    "Zu viele Versuche. Es wurde nichts gesendet; warten Sie eine Minute und versuchen Sie es erneut.",
  notPayable: "Diese Anforderung kann nicht mehr bezahlt werden.",
  onItsWay: "Gesendet. Diese Seite wird aktualisiert, sobald das Netzwerk die Zahlung hat.",
  signAmount:
    "Gesendet. Eine andere Anforderung hat denselben Betrag. Unterschreiben Sie mit Ihrer Wallet, welche Sie bezahlt haben. Das bewegt kein Geld.",
  notSigned:
    "Sie haben noch nicht unterschrieben. Der Händler muss Ihre Zahlung vielleicht von Hand zuordnen. Versuchen Sie es erneut.",
  nothingHere: "Hier ist nichts",
  noRequest:
    "Unter diesem Link gibt es keine Zahlungsanforderung. Bitten Sie den Absender um eine neue."
}
