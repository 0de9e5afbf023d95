/** The checkout page in French. */
import type { Words } from "./words.ts"

export const french: Words = {
  thousands: "\u202f",
  open: "En attente du paiement",
  processing: "Paiement détecté",
  partlyPaid: "Payé en partie",
  paid: "Payé",
  expired: "Cette demande de paiement a expiré",
  cancelled: "Cette demande de paiement a été annulée",
  expiredAdvice:
    "N’envoyez pas d’argent à cette adresse. Demandez au marchand une nouvelle demande de paiement.",
  cancelledAdvice:
    "N’envoyez pas d’argent à cette adresse. Contactez le marchand si vous pensez que c’est une erreur.",
  arrivedLate: "{received} sont arrivés après la fin de cette demande de paiement.",
  arrivedInPart: "{received} sont arrivés à temps, moins que le montant demandé.",
  arrivedAgain: "{received} sont arrivés alors que cette demande de paiement était déjà payée.",
  arrivedAdvice: "N’envoyez plus rien à cette adresse.",
  merchantDecides:
    "Le marchand voit cet argent et décide s’il compte comme votre paiement ou s’il vous est renvoyé. Vous n’avez rien à faire ; cette page montre la décision. Si cela tarde, contactez le marchand en indiquant cette transaction.",
  merchantCounted: "Le marchand l’a compté comme un paiement.",
  merchantReturned: "Le marchand l’a renvoyé.",
  merchantIgnored:
    "Le marchand a clos cette affaire sans le compter. Contactez le marchand si vous pensez que c’est une erreur.",
  title: "{amount} à {merchant}",
  testMode: "Mode test : cet argent n’est pas réel",
  payForTest: "Payer avec de l’argent de test",
  progress: "Progression",
  send: "Envoyer",
  confirm: "Confirmer",
  done: "Terminé",
  missing: "{received} reçus, il manque {due}",
  overpaid:
    "{received} reçus, plus que le montant demandé. Le marchand voit la différence et peut la renvoyer.",
  confirmations: "Confirmations",
  confirmationsSeen: "{seen} confirmations sur {needed}",
  sendExactly: "Envoyez exactement",
  network: "Réseau",
  address: "Adresse",
  amount: "Montant",
  copy: "Copier",
  theAmount: "le montant",
  theAddress: "l’adresse",
  copied: "Copié : {what}.",
  notCopied: "Votre navigateur n’autorise pas la copie ; sélectionnez le texte.",
  sendOnly: "Envoyez uniquement des {symbol} sur {network} ; le reste n’est pas crédité.",
  qrCode: "Code QR pour payer {due} sur {network}",
  openWallet: "Ouvrir dans un portefeuille",
  payWith: "Payer avec {wallet}",
  signWhich: "Signer quelle demande vous avez payée",
  expires: "Expire le {time}",
  timeLeft: "encore {time}",
  days: "{count} jours",
  hours: "{hours} h {minutes} min",
  timeUp: "expirée : n’envoyez pas d’argent",
  paidAt: "Payé le",
  transaction: "Transaction",
  printReceipt: "Imprimer le reçu",
  returnTo: "Retour chez {merchant}",
  goBackTo: "Retour chez {merchant}",
  connecting: "Connexion…",
  live: "Se met à jour automatiquement",
  lost: "Connexion perdue, nouvel essai…",
  confirmInWallet: "Confirmez dans votre portefeuille…",
  declined: "Vous avez refusé dans votre portefeuille. Rien n’a été envoyé.",
  unknownNetwork:
    "Votre portefeuille ne connaît pas ce réseau. Ajoutez-le, ou payez avec le code QR.",
  walletFailed:
    "Votre portefeuille n’a pas pu envoyer ce paiement. Vérifiez-le avant de réessayer.",
  tooLittle:
    "Ce portefeuille détient {held} sur {network}, moins que les {due} dus. Rien n’a été envoyé.",
  noCoin:
    "Ce portefeuille n’a pas de SOL sur {network} pour payer les frais du réseau. Rien n’a été envoyé.",
  notReady:
    "Le réseau ne répond pas pour l’instant. Rien n’a été envoyé ; réessayez dans un instant.",
  walletGone: "Ce portefeuille n’est plus disponible ; rechargez la page.",
  otherAccount:
    "Ce compte ne peut pas payer cette demande. Rien n’a été envoyé ; choisissez un autre compte dans votre portefeuille.",
  tooOften: "Trop de tentatives. Rien n’a été envoyé ; attendez une minute, puis réessayez.",
  notPayable: "Cette demande ne peut plus être payée.",
  onItsWay: "Envoyé. Cette page se met à jour dès que le réseau a le paiement.",
  signAmount:
    "Envoyé. Une autre demande a le même montant : signez avec votre portefeuille laquelle vous avez payée. Signer ne déplace pas d’argent.",
  notSigned:
    "Vous n’avez pas encore signé ; le marchand devra peut-être attribuer votre paiement à la main. Essayez de signer à nouveau.",
  nothingHere: "Il n’y a rien ici",
  noRequest:
    "Il n’y a pas de demande de paiement à cette adresse. Demandez-en une nouvelle à l’expéditeur."
}
