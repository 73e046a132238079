// Made by Scripts/embed-resources (`make resources`); do not edit.
#include "Resources.h"

// sha256 38102cd34f29e40db6af41e0f47bbf676e849f6282f802ba63327d1f747787cc
static const unsigned char Sources_AccountDatabase_Migrations_0001_accounts_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0001_accounts.sql"
};

// sha256 8d22ab1a6a543148a34792088417f945e41fc84f846a715cbe3268b3d6eddfa3
static const unsigned char Sources_AccountDatabase_Migrations_0002_assets_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0002_assets.sql"
};

// sha256 1de11d94e7f12dc80515ab8748433a2d2e85986892e9866a740943658bc3b574
static const unsigned char Sources_AccountDatabase_Migrations_0003_providers_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0003_providers.sql"
};

// sha256 260d309196dd383aa38e321bda21a93f68ffff44ef25de51bf7c2e5d3c5e3c86
static const unsigned char Sources_AccountDatabase_Migrations_0004_nodes_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0004_nodes.sql"
};

// sha256 94b1a4fee883d34728ffafe2440dbb7e9e1d6e861fe07976aa27d133b00eac7e
static const unsigned char Sources_AccountDatabase_Migrations_0005_sign_in_codes_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0005_sign_in_codes.sql"
};

// sha256 87bea360b8c11b5b246e949deb24890588beb54ad200e28657a6b6fd2fd9b3a3
static const unsigned char Sources_AccountDatabase_Migrations_0006_known_clients_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0006_known_clients.sql"
};

// sha256 7f37bdb1064f5b1e98e231cf81fba22d29dc2a76fc157b12b33546f83f068ec2
static const unsigned char Sources_AccountDatabase_Migrations_0007_mail_queue_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0007_mail_queue.sql"
};

// sha256 35d7372bdec779aefe05ff2880bb91b0802bb9962929d7c489da9a47a88ac012
static const unsigned char Sources_AccountDatabase_Migrations_0008_takeovers_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0008_takeovers.sql"
};

// sha256 5681045cf59936d241f8ec326baf02bf697cb07c701c18cb65c4cebb909cf753
static const unsigned char Sources_AccountDatabase_Migrations_0009_recent_sign_in_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0009_recent_sign_in.sql"
};

// sha256 e9f5924962867ebdd2140e0302caf60d9522895deb524d74d0f6b090a5edacfd
static const unsigned char Sources_AccountDatabase_Migrations_0010_notices_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0010_notices.sql"
};

// sha256 b21e0cbaadd5dc9572ac56345c96f2260e70a210b2c35ec21feef30981659439
static const unsigned char Sources_AccountDatabase_Migrations_0011_sessions_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0011_sessions.sql"
};

// sha256 9b7184d41633c4641da2b29ff3b516d894a774893c50f503f37bb8e733337b8a
static const unsigned char Sources_WebClient_demo_demo_css[] = {
#embed "../../Sources/WebClient/demo/demo.css"
};

// sha256 8c3accbf1fbce585fb8249b52a2d03093c4bc8f10091889abadfd443b5531c21
static const unsigned char Sources_WebClient_demo_demo_js[] = {
#embed "../../Sources/WebClient/demo/demo.js"
};

// sha256 2bcdf0cc80cfadb27106d8516ffcad222a719b2e205f19ac6828c768cd58da46
static const unsigned char Sources_WebClient_demo_index_html[] = {
#embed "../../Sources/WebClient/demo/index.html"
};

// sha256 450bef1d321eb02232dfe6d6be702da301c1da9feb8f83e278cbd4842688f49d
static const unsigned char Sources_WebClient_dist_latchkey_0_1_0_js[] = {
#embed "../../Sources/WebClient/dist/latchkey-0.1.0.js"
};

// sha256 1a65948357a799659f82ec9157b6730343f9d91c2e0ab25e8482f956d8c88f5e
static const unsigned char Sources_WebClient_dist_latchkey_0_1_0_js_br[] = {
#embed "../../Sources/WebClient/dist/latchkey-0.1.0.js.br"
};

// sha256 1316b1464098fc09296dfbbf8123081ed3b62e25cb894f414e7728026f1856e5
static const unsigned char Sources_WebClient_dist_latchkey_0_1_0_js_gz[] = {
#embed "../../Sources/WebClient/dist/latchkey-0.1.0.js.gz"
};

// sha256 c116b27d492b04e95c4deda148fa90390714aa8f4305e3e53b39081d64137859
static const unsigned char Sources_WebClient_dist_latchkey_0_1_0_tgz[] = {
#embed "../../Sources/WebClient/dist/latchkey-0.1.0.tgz"
};

// sha256 c61b53e43998b74c33cc5679a524c053d72c098971a5f51c6066a28a98d485b3
static const unsigned char Templates_colors_json[] = {
#embed "../../Templates/colors.json"
};

// sha256 0c8b8814b27af5f57fe42992929287b149ddedce26d0df5932ffc6bf3bd52009
static const unsigned char Templates_email_button_html[] = {
#embed "../../Templates/email/button.html"
};

// sha256 f452d021a83ca2abfa76770436362a12a2a89bed1b1d30e462097d2584e86c6b
static const unsigned char Templates_email_change_email_html[] = {
#embed "../../Templates/email/change-email.html"
};

// sha256 4a1f6b297ba8b905f775769fc0b88e1d4132648c1429bf324258faf14f0bd00b
static const unsigned char Templates_email_change_email_txt[] = {
#embed "../../Templates/email/change-email.txt"
};

// sha256 a9057f254dc585eecefbeb376ad2cac5e9b8706babdf1cb9cca6b733f6270878
static const unsigned char Templates_email_email_changed_html[] = {
#embed "../../Templates/email/email-changed.html"
};

// sha256 7311f28ce242cfc75d66392444b9866ee2663d9d0ea66d0baa24f4b5869dd874
static const unsigned char Templates_email_email_changed_txt[] = {
#embed "../../Templates/email/email-changed.txt"
};

// sha256 b66ac6cdf9d249abf226db3e2e141d0130ddbab8957f9b6b3e36e0e23781e89c
static const unsigned char Templates_email_email_in_use_html[] = {
#embed "../../Templates/email/email-in-use.html"
};

// sha256 fbcc203b376337d3d09b628def4a20efe3ab7879d62fcf4b0bdf13e614a06c4d
static const unsigned char Templates_email_email_in_use_txt[] = {
#embed "../../Templates/email/email-in-use.txt"
};

// sha256 daeba042b20e2b6801360a249346339a6de738e90f60ead55d12bb43c88c5d1f
static const unsigned char Templates_email_fact_html[] = {
#embed "../../Templates/email/fact.html"
};

// sha256 e8631ee8f876270961f42537f9a35d0a14d6d4373586dff41304c3fd27026fd7
static const unsigned char Templates_email_layout_html[] = {
#embed "../../Templates/email/layout.html"
};

// sha256 4b08f3d0fc2c14a604e49456b6092496ef940dd9d00b42a9c3babe67b52eec48
static const unsigned char Templates_email_method_added_html[] = {
#embed "../../Templates/email/method-added.html"
};

// sha256 67220f7ea1b050332dea4b46d3ed76ef338b2b1094facb75df51e0f80a3c3a32
static const unsigned char Templates_email_method_added_txt[] = {
#embed "../../Templates/email/method-added.txt"
};

// sha256 6cd3e0fb4122fad82ca5c70952a4a065ae47330e6f1fc493d051d002de60c405
static const unsigned char Templates_email_method_removed_html[] = {
#embed "../../Templates/email/method-removed.html"
};

// sha256 c7079cff1df2d2f9fbee3cd8466beec5809ba0656b7059a5faa9b5363656dbab
static const unsigned char Templates_email_method_removed_txt[] = {
#embed "../../Templates/email/method-removed.txt"
};

// sha256 79da0a0ff81015e59cb726561010691c5f7a331c78247197a16982b24f701a30
static const unsigned char Templates_email_sign_in_link_html[] = {
#embed "../../Templates/email/sign-in-link.html"
};

// sha256 729c2d599c600fc574aa4a915bf8793ef64cef6fef30facb7494986971a953d3
static const unsigned char Templates_email_sign_in_link_txt[] = {
#embed "../../Templates/email/sign-in-link.txt"
};

// sha256 6f22950e8d8229273ff46a74e3cd31d1258d04f799e5afa50c4da4a01aa47d2c
static const unsigned char Templates_email_sign_in_html[] = {
#embed "../../Templates/email/sign-in.html"
};

// sha256 d04ff025db4f1336a3ba81875196a26796489b7964e3147ca3dae424c9861a4d
static const unsigned char Templates_email_sign_in_txt[] = {
#embed "../../Templates/email/sign-in.txt"
};

// sha256 adf715e656a374e49b0d2a3cea06263a33444ee37c8f8e3f56e82f95a387d0b5
static const unsigned char Templates_email_verify_email_html[] = {
#embed "../../Templates/email/verify-email.html"
};

// sha256 05fda0c2f994e41837c1caf961d2ef7f674b404224793f5e005f06f035929e93
static const unsigned char Templates_email_verify_email_txt[] = {
#embed "../../Templates/email/verify-email.txt"
};

// sha256 990ca64a599dc416b304d2f6913e8c3fa60a1a5a34772a7da9d42961dcdf5b0c
static const unsigned char Templates_pages_approve_html[] = {
#embed "../../Templates/pages/approve.html"
};

// sha256 fe3956f0f8765802dfc4953b2b3a126d98f7ad33163645ed09b9a3470b9cf3ce
static const unsigned char Templates_pages_approved_html[] = {
#embed "../../Templates/pages/approved.html"
};

// sha256 62e09581ddbd0ff22b0fad40d0e9c43bbb4a371d12afb4765a40b20a028212b4
static const unsigned char Templates_pages_code_html[] = {
#embed "../../Templates/pages/code.html"
};

// sha256 5573e0003d135e644bf2eecae2348fbebcfd7ac25290385d6ba4ece058271c95
static const unsigned char Templates_pages_codes_paused_html[] = {
#embed "../../Templates/pages/codes-paused.html"
};

// sha256 a9dd4d45015ac2236a9fb37b867c6ea006aa2abf1d769f24d472d3a48aef780c
static const unsigned char Templates_pages_confirm_change_email_html[] = {
#embed "../../Templates/pages/confirm-change-email.html"
};

// sha256 cfcfa35633990e03dc8de98b4bc95181ab3a284d32871f2a95f4935c5dad749e
static const unsigned char Templates_pages_confirm_contest_html[] = {
#embed "../../Templates/pages/confirm-contest.html"
};

// sha256 a092e8c57b311ae6872a534b769dc802adf57877dc72c8f040e13754a4af394f
static const unsigned char Templates_pages_confirm_recover_email_html[] = {
#embed "../../Templates/pages/confirm-recover-email.html"
};

// sha256 fa2d0af0a70069caa2565966ef005c3fedd80e7343972c0516a83acdd136702d
static const unsigned char Templates_pages_confirm_revert_change_html[] = {
#embed "../../Templates/pages/confirm-revert-change.html"
};

// sha256 bdc9e26c233050bc841ed417af4a6092c18af1849c558bda5bc49394344bd15c
static const unsigned char Templates_pages_confirm_verify_email_html[] = {
#embed "../../Templates/pages/confirm-verify-email.html"
};

// sha256 7bc63f0b79d36eb019a7a0b3b280e8b20ba72b50d347d40c39c2c9978173105d
static const unsigned char Templates_pages_denied_email_html[] = {
#embed "../../Templates/pages/denied-email.html"
};

// sha256 949301158a10d51e3dfe1bb5258b3c3335f4f59445348760a75313fbeaab07f4
static const unsigned char Templates_pages_denied_html[] = {
#embed "../../Templates/pages/denied.html"
};

// sha256 72faa06cd9d9af5eda14011241bfdba9924eeec9b39615a1fb8b7691e563f10d
static const unsigned char Templates_pages_done_change_email_html[] = {
#embed "../../Templates/pages/done-change-email.html"
};

// sha256 ceb54fc9391902bf8f9c6342aabb75221a0f98f4d40011a8d1e5b1a64d78e976
static const unsigned char Templates_pages_done_contest_html[] = {
#embed "../../Templates/pages/done-contest.html"
};

// sha256 7302a7ba241f788eb956a4d1cdbf987020a661479c3b27eb252bf74758f56569
static const unsigned char Templates_pages_done_recover_email_html[] = {
#embed "../../Templates/pages/done-recover-email.html"
};

// sha256 d276288d577abc482e69d83cc92b068b520f6351039fdf5a611ed1f0557a3d37
static const unsigned char Templates_pages_done_revert_change_html[] = {
#embed "../../Templates/pages/done-revert-change.html"
};

// sha256 e4782c9660cac100cd839b593918555b63d91f85864664e23b898cfdb62bdde7
static const unsigned char Templates_pages_done_verify_email_html[] = {
#embed "../../Templates/pages/done-verify-email.html"
};

// sha256 dbe229dc6f33176a7a253bcce75b8cc5e5d24519cc2a78bcaf961ef768006bce
static const unsigned char Templates_pages_error_html[] = {
#embed "../../Templates/pages/error.html"
};

// sha256 aebb9dc87d1d2ab037c65dda37300e1f39c2fed5f0ee01fe1aad82a271a80465
static const unsigned char Templates_pages_expired_no_resend_html[] = {
#embed "../../Templates/pages/expired-no-resend.html"
};

// sha256 7be3932cc36b4a0ccd414a9b011498525ef1a5e79110b9012af2677b2a8cb9c9
static const unsigned char Templates_pages_expired_html[] = {
#embed "../../Templates/pages/expired.html"
};

// sha256 ca7f79b95f3c778b51f334c43a17022a628f20688219de74c58ca4cb2d77e6d3
static const unsigned char Templates_pages_landing_html[] = {
#embed "../../Templates/pages/landing.html"
};

// sha256 33df85ddaaed86b72342bc1c640fae63b3d9aca47c60424892d578046d6e65b7
static const unsigned char Templates_pages_layout_html[] = {
#embed "../../Templates/pages/layout.html"
};

// sha256 1219067c0bbbc86a13d5a56ffc29a5781423ca8076a555922c16c3d5cfe1dac7
static const unsigned char Templates_pages_mailbox_link_html[] = {
#embed "../../Templates/pages/mailbox-link.html"
};

// sha256 e9c29643549eb8850e388c88d4fff8eb49234142b8849d865941b16573c21fc8
static const unsigned char Templates_pages_mailbox_message_html[] = {
#embed "../../Templates/pages/mailbox-message.html"
};

// sha256 0d03c53c19e221df900bdc98d3d3d3494d8e8269d09a42c06e63498e9a2402b1
static const unsigned char Templates_pages_mailbox_row_html[] = {
#embed "../../Templates/pages/mailbox-row.html"
};

// sha256 8a16a069b6767663aa5d8c2e531693a0293152b06e99673c0d8ba5082e70459a
static const unsigned char Templates_pages_mailbox_html[] = {
#embed "../../Templates/pages/mailbox.html"
};

// sha256 7082d0bac43d9423f6e808e248511e4cfc18eab526dd31db1c9b2ac9a7c99b23
static const unsigned char Templates_pages_not_found_html[] = {
#embed "../../Templates/pages/not-found.html"
};

// sha256 eb297a5b545d16b3840bab74e5c363bd9c88d1ea3cb20d4f289ede09449a36b1
static const unsigned char Templates_pages_open_in_app_html[] = {
#embed "../../Templates/pages/open-in-app.html"
};

// sha256 5fdaedc6a4c6d93cac5d0395eeca2d1868c540914c043f44824b28e74771075e
static const unsigned char Templates_pages_resent_html[] = {
#embed "../../Templates/pages/resent.html"
};

// sha256 f047b4a766053552aaff6856ff72e2e63b376a1452cbc4cd3aaa4afc049d339b
static const unsigned char Templates_pages_style_css[] = {
#embed "../../Templates/pages/style.css"
};

// sha256 2e2605f7036e1536a079ef6140307e5289e9652d395463b86e626d84d31bf921
static const unsigned char Templates_pages_wrong_address_html[] = {
#embed "../../Templates/pages/wrong-address.html"
};

// sha256 88b4b69a262935f96c3f55d0ac30e660cf82430c6eca25c014c2fc51d36cb540
static const unsigned char Templates_pages_wrong_digits_html[] = {
#embed "../../Templates/pages/wrong-digits.html"
};

// sha256 3f0dfa6f8d013e4a849a4300e22ea353b4353b54c06131087496436b7f3135da
static const unsigned char Templates_strings_de_json[] = {
#embed "../../Templates/strings/de.json"
};

// sha256 91a17082c686a5d1c77a5b8c4482ce65f39c928ccd33ee2e437d937bc1edfe85
static const unsigned char Templates_strings_en_json[] = {
#embed "../../Templates/strings/en.json"
};

// sha256 116d521f1b73872e613597d58d39a21c32214d7e8128e2c55fc4de2fb9c9e880
static const unsigned char Templates_strings_es_json[] = {
#embed "../../Templates/strings/es.json"
};

// sha256 0b406006af76ed2f9361025e15052e52d7b9b31e3fde7d09dd7c509fbb14f159
static const unsigned char Templates_strings_fr_json[] = {
#embed "../../Templates/strings/fr.json"
};

// sha256 a77723a48da8be1ddd26992ce03be1718668d738732386f32ef04ee6e2c08db0
static const unsigned char Templates_strings_id_json[] = {
#embed "../../Templates/strings/id.json"
};

// sha256 05bab4d5fee1d94cadbf5d1963ef13765502586d5bd92a8711d82a99801d754d
static const unsigned char Templates_strings_it_json[] = {
#embed "../../Templates/strings/it.json"
};

// sha256 d39cdadcea45bb0d6abf8bcf3771e222e227c2b00bc2f3805ba268d6e8190814
static const unsigned char Templates_strings_ja_json[] = {
#embed "../../Templates/strings/ja.json"
};

// sha256 dcce9997ff64c148ec530e6755fe3dcfcfd97b6eec2538232b39d00de9e6002d
static const unsigned char Templates_strings_pt_BR_json[] = {
#embed "../../Templates/strings/pt-BR.json"
};

// sha256 284baccbe81ba094879ee1255d10abffc1b7adcf46db90c35febbf6b241dd0cd
static const unsigned char docs_openapi_json[] = {
#embed "../../docs/openapi.json"
};

static const latchkey_resource resources[] = {
    {"Sources/AccountDatabase/Migrations/0001_accounts.sql", Sources_AccountDatabase_Migrations_0001_accounts_sql, sizeof Sources_AccountDatabase_Migrations_0001_accounts_sql},
    {"Sources/AccountDatabase/Migrations/0002_assets.sql", Sources_AccountDatabase_Migrations_0002_assets_sql, sizeof Sources_AccountDatabase_Migrations_0002_assets_sql},
    {"Sources/AccountDatabase/Migrations/0003_providers.sql", Sources_AccountDatabase_Migrations_0003_providers_sql, sizeof Sources_AccountDatabase_Migrations_0003_providers_sql},
    {"Sources/AccountDatabase/Migrations/0004_nodes.sql", Sources_AccountDatabase_Migrations_0004_nodes_sql, sizeof Sources_AccountDatabase_Migrations_0004_nodes_sql},
    {"Sources/AccountDatabase/Migrations/0005_sign_in_codes.sql", Sources_AccountDatabase_Migrations_0005_sign_in_codes_sql, sizeof Sources_AccountDatabase_Migrations_0005_sign_in_codes_sql},
    {"Sources/AccountDatabase/Migrations/0006_known_clients.sql", Sources_AccountDatabase_Migrations_0006_known_clients_sql, sizeof Sources_AccountDatabase_Migrations_0006_known_clients_sql},
    {"Sources/AccountDatabase/Migrations/0007_mail_queue.sql", Sources_AccountDatabase_Migrations_0007_mail_queue_sql, sizeof Sources_AccountDatabase_Migrations_0007_mail_queue_sql},
    {"Sources/AccountDatabase/Migrations/0008_takeovers.sql", Sources_AccountDatabase_Migrations_0008_takeovers_sql, sizeof Sources_AccountDatabase_Migrations_0008_takeovers_sql},
    {"Sources/AccountDatabase/Migrations/0009_recent_sign_in.sql", Sources_AccountDatabase_Migrations_0009_recent_sign_in_sql, sizeof Sources_AccountDatabase_Migrations_0009_recent_sign_in_sql},
    {"Sources/AccountDatabase/Migrations/0010_notices.sql", Sources_AccountDatabase_Migrations_0010_notices_sql, sizeof Sources_AccountDatabase_Migrations_0010_notices_sql},
    {"Sources/AccountDatabase/Migrations/0011_sessions.sql", Sources_AccountDatabase_Migrations_0011_sessions_sql, sizeof Sources_AccountDatabase_Migrations_0011_sessions_sql},
    {"Sources/WebClient/demo/demo.css", Sources_WebClient_demo_demo_css, sizeof Sources_WebClient_demo_demo_css},
    {"Sources/WebClient/demo/demo.js", Sources_WebClient_demo_demo_js, sizeof Sources_WebClient_demo_demo_js},
    {"Sources/WebClient/demo/index.html", Sources_WebClient_demo_index_html, sizeof Sources_WebClient_demo_index_html},
    {"Sources/WebClient/dist/latchkey-0.1.0.js", Sources_WebClient_dist_latchkey_0_1_0_js, sizeof Sources_WebClient_dist_latchkey_0_1_0_js},
    {"Sources/WebClient/dist/latchkey-0.1.0.js.br", Sources_WebClient_dist_latchkey_0_1_0_js_br, sizeof Sources_WebClient_dist_latchkey_0_1_0_js_br},
    {"Sources/WebClient/dist/latchkey-0.1.0.js.gz", Sources_WebClient_dist_latchkey_0_1_0_js_gz, sizeof Sources_WebClient_dist_latchkey_0_1_0_js_gz},
    {"Sources/WebClient/dist/latchkey-0.1.0.tgz", Sources_WebClient_dist_latchkey_0_1_0_tgz, sizeof Sources_WebClient_dist_latchkey_0_1_0_tgz},
    {"Templates/colors.json", Templates_colors_json, sizeof Templates_colors_json},
    {"Templates/email/button.html", Templates_email_button_html, sizeof Templates_email_button_html},
    {"Templates/email/change-email.html", Templates_email_change_email_html, sizeof Templates_email_change_email_html},
    {"Templates/email/change-email.txt", Templates_email_change_email_txt, sizeof Templates_email_change_email_txt},
    {"Templates/email/email-changed.html", Templates_email_email_changed_html, sizeof Templates_email_email_changed_html},
    {"Templates/email/email-changed.txt", Templates_email_email_changed_txt, sizeof Templates_email_email_changed_txt},
    {"Templates/email/email-in-use.html", Templates_email_email_in_use_html, sizeof Templates_email_email_in_use_html},
    {"Templates/email/email-in-use.txt", Templates_email_email_in_use_txt, sizeof Templates_email_email_in_use_txt},
    {"Templates/email/fact.html", Templates_email_fact_html, sizeof Templates_email_fact_html},
    {"Templates/email/layout.html", Templates_email_layout_html, sizeof Templates_email_layout_html},
    {"Templates/email/method-added.html", Templates_email_method_added_html, sizeof Templates_email_method_added_html},
    {"Templates/email/method-added.txt", Templates_email_method_added_txt, sizeof Templates_email_method_added_txt},
    {"Templates/email/method-removed.html", Templates_email_method_removed_html, sizeof Templates_email_method_removed_html},
    {"Templates/email/method-removed.txt", Templates_email_method_removed_txt, sizeof Templates_email_method_removed_txt},
    {"Templates/email/sign-in-link.html", Templates_email_sign_in_link_html, sizeof Templates_email_sign_in_link_html},
    {"Templates/email/sign-in-link.txt", Templates_email_sign_in_link_txt, sizeof Templates_email_sign_in_link_txt},
    {"Templates/email/sign-in.html", Templates_email_sign_in_html, sizeof Templates_email_sign_in_html},
    {"Templates/email/sign-in.txt", Templates_email_sign_in_txt, sizeof Templates_email_sign_in_txt},
    {"Templates/email/verify-email.html", Templates_email_verify_email_html, sizeof Templates_email_verify_email_html},
    {"Templates/email/verify-email.txt", Templates_email_verify_email_txt, sizeof Templates_email_verify_email_txt},
    {"Templates/pages/approve.html", Templates_pages_approve_html, sizeof Templates_pages_approve_html},
    {"Templates/pages/approved.html", Templates_pages_approved_html, sizeof Templates_pages_approved_html},
    {"Templates/pages/code.html", Templates_pages_code_html, sizeof Templates_pages_code_html},
    {"Templates/pages/codes-paused.html", Templates_pages_codes_paused_html, sizeof Templates_pages_codes_paused_html},
    {"Templates/pages/confirm-change-email.html", Templates_pages_confirm_change_email_html, sizeof Templates_pages_confirm_change_email_html},
    {"Templates/pages/confirm-contest.html", Templates_pages_confirm_contest_html, sizeof Templates_pages_confirm_contest_html},
    {"Templates/pages/confirm-recover-email.html", Templates_pages_confirm_recover_email_html, sizeof Templates_pages_confirm_recover_email_html},
    {"Templates/pages/confirm-revert-change.html", Templates_pages_confirm_revert_change_html, sizeof Templates_pages_confirm_revert_change_html},
    {"Templates/pages/confirm-verify-email.html", Templates_pages_confirm_verify_email_html, sizeof Templates_pages_confirm_verify_email_html},
    {"Templates/pages/denied-email.html", Templates_pages_denied_email_html, sizeof Templates_pages_denied_email_html},
    {"Templates/pages/denied.html", Templates_pages_denied_html, sizeof Templates_pages_denied_html},
    {"Templates/pages/done-change-email.html", Templates_pages_done_change_email_html, sizeof Templates_pages_done_change_email_html},
    {"Templates/pages/done-contest.html", Templates_pages_done_contest_html, sizeof Templates_pages_done_contest_html},
    {"Templates/pages/done-recover-email.html", Templates_pages_done_recover_email_html, sizeof Templates_pages_done_recover_email_html},
    {"Templates/pages/done-revert-change.html", Templates_pages_done_revert_change_html, sizeof Templates_pages_done_revert_change_html},
    {"Templates/pages/done-verify-email.html", Templates_pages_done_verify_email_html, sizeof Templates_pages_done_verify_email_html},
    {"Templates/pages/error.html", Templates_pages_error_html, sizeof Templates_pages_error_html},
    {"Templates/pages/expired-no-resend.html", Templates_pages_expired_no_resend_html, sizeof Templates_pages_expired_no_resend_html},
    {"Templates/pages/expired.html", Templates_pages_expired_html, sizeof Templates_pages_expired_html},
    {"Templates/pages/landing.html", Templates_pages_landing_html, sizeof Templates_pages_landing_html},
    {"Templates/pages/layout.html", Templates_pages_layout_html, sizeof Templates_pages_layout_html},
    {"Templates/pages/mailbox-link.html", Templates_pages_mailbox_link_html, sizeof Templates_pages_mailbox_link_html},
    {"Templates/pages/mailbox-message.html", Templates_pages_mailbox_message_html, sizeof Templates_pages_mailbox_message_html},
    {"Templates/pages/mailbox-row.html", Templates_pages_mailbox_row_html, sizeof Templates_pages_mailbox_row_html},
    {"Templates/pages/mailbox.html", Templates_pages_mailbox_html, sizeof Templates_pages_mailbox_html},
    {"Templates/pages/not-found.html", Templates_pages_not_found_html, sizeof Templates_pages_not_found_html},
    {"Templates/pages/open-in-app.html", Templates_pages_open_in_app_html, sizeof Templates_pages_open_in_app_html},
    {"Templates/pages/resent.html", Templates_pages_resent_html, sizeof Templates_pages_resent_html},
    {"Templates/pages/style.css", Templates_pages_style_css, sizeof Templates_pages_style_css},
    {"Templates/pages/wrong-address.html", Templates_pages_wrong_address_html, sizeof Templates_pages_wrong_address_html},
    {"Templates/pages/wrong-digits.html", Templates_pages_wrong_digits_html, sizeof Templates_pages_wrong_digits_html},
    {"Templates/strings/de.json", Templates_strings_de_json, sizeof Templates_strings_de_json},
    {"Templates/strings/en.json", Templates_strings_en_json, sizeof Templates_strings_en_json},
    {"Templates/strings/es.json", Templates_strings_es_json, sizeof Templates_strings_es_json},
    {"Templates/strings/fr.json", Templates_strings_fr_json, sizeof Templates_strings_fr_json},
    {"Templates/strings/id.json", Templates_strings_id_json, sizeof Templates_strings_id_json},
    {"Templates/strings/it.json", Templates_strings_it_json, sizeof Templates_strings_it_json},
    {"Templates/strings/ja.json", Templates_strings_ja_json, sizeof Templates_strings_ja_json},
    {"Templates/strings/pt-BR.json", Templates_strings_pt_BR_json, sizeof Templates_strings_pt_BR_json},
    {"docs/openapi.json", docs_openapi_json, sizeof docs_openapi_json},
};

const latchkey_resource *latchkey_resources(size_t *count) {
    *count = sizeof resources / sizeof *resources;
    return resources;
}
