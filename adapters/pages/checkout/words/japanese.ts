/** The checkout page in Japanese. */
import type { Words } from "./words.ts"

export const japanese: Words = {
  thousands: ",",
  open: "お支払い待ち",
  processing: "入金を検出しました",
  partlyPaid: "一部お支払い済み",
  paid: "お支払い済み",
  expired: "このお支払いリクエストは期限切れです",
  cancelled: "このお支払いリクエストは取り消されました",
  expiredAdvice:
    "このアドレスには送金しないでください。販売者に新しいリクエストを依頼してください。",
  cancelledAdvice:
    "このアドレスには送金しないでください。間違いだと思われる場合は販売者にお問い合わせください。",
  arrivedLate: "{received} は、このリクエストの終了後に届きました。",
  arrivedInPart: "{received} は期限内に届きましたが、請求額に足りません。",
  arrivedAgain: "{received} は、このリクエストのお支払い完了後に届きました。",
  arrivedAdvice: "このアドレスにはこれ以上送金しないでください。",
  merchantDecides:
    "販売者はこの入金を確認でき、お支払いとして扱うか返金するかを決めます。何もする必要はありません。決定はこのページに表示されます。時間がかかる場合は、このトランザクションを添えて販売者にお問い合わせください。",
  merchantCounted: "販売者はこれをお支払いとして扱いました。",
  merchantReturned: "販売者はこれを返金しました。",
  merchantIgnored:
    "販売者はこれをお支払いとして扱わずに処理を終えました。間違いだと思われる場合は販売者にお問い合わせください。",
  title: "{merchant} へ {amount}",
  testMode: "テストモード：本物のお金ではありません",
  payForTest: "テスト用のお金で支払う",
  progress: "進行状況",
  send: "送金",
  confirm: "確認",
  done: "完了",
  missing: "{received} 受領、{due} 不足",
  overpaid: "{received} を受領しました。請求額を超えています。販売者は差額を確認し、返金できます。",
  confirmations: "承認数",
  confirmationsSeen: "承認 {seen} / {needed}",
  sendExactly: "送金額（ちょうど）",
  network: "ネットワーク",
  address: "アドレス",
  amount: "金額",
  copy: "コピー",
  theAmount: "金額",
  theAddress: "アドレス",
  copied: "{what}をコピーしました。",
  notCopied: "ブラウザーがコピーを許可していません。文字を選択してください。",
  sendOnly: "{network} の {symbol} だけを送ってください。それ以外は入金されません。",
  qrCode: "{network} で {due} を支払う QR コード",
  openWallet: "ウォレットアプリで開く",
  payWith: "{wallet} で支払う",
  signWhich: "どのリクエストを支払ったか署名する",
  expires: "有効期限 {time}",
  timeLeft: "残り {time}",
  days: "{count} 日",
  hours: "{hours} 時間 {minutes} 分",
  timeUp: "期限切れ：送金しないでください",
  paidAt: "お支払い日時",
  transaction: "トランザクション",
  printReceipt: "領収書を印刷",
  returnTo: "{merchant} に戻る",
  goBackTo: "{merchant} に戻る",
  connecting: "接続中…",
  live: "自動的に更新されます",
  lost: "接続が切れました。再試行しています…",
  confirmInWallet: "ウォレットで確認してください…",
  declined: "ウォレットで拒否されました。何も送られていません。",
  unknownNetwork:
    "お使いのウォレットはこのネットワークを知りません。追加するか、QR コードでお支払いください。",
  walletFailed: "ウォレットから送金できませんでした。再試行の前にウォレットをご確認ください。",
  tooLittle:
    "このウォレットの {network} の残高は {held} で、支払額 {due} に足りません。何も送金されていません。",
  noCoin:
    "このウォレットには、{network} のネットワーク手数料を支払う SOL がありません。何も送金されていません。",
  notReady:
    "現在ネットワークに接続できません。何も送金されていません。しばらくしてからもう一度お試しください。",
  walletGone: "このウォレットは利用できなくなりました。ページを再読み込みしてください。",
  otherAccount:
    "このアカウントではこのリクエストを支払えません。何も送金されていません。ウォレットで別のアカウントを選択してください。",
  tooOften: "試行回数が多すぎます。何も送金されていません。1分待ってからもう一度お試しください。",
  notPayable: "このリクエストはもう支払えません。",
  onItsWay: "送金しました。ネットワークに届くとこのページが更新されます。",
  signAmount:
    "送金しました。同じ金額のリクエストがほかにもあります。どれを支払ったかウォレットで署名してください。署名でお金は動きません。",
  notSigned:
    "まだ署名されていません。販売者が手作業で照合することがあります。もう一度署名してください。",
  nothingHere: "ここには何もありません",
  noRequest: "このリンクにお支払いリクエストはありません。送り主に新しいものを依頼してください。"
}
